import * as http from 'node:http';
import * as https from 'node:https';
import type * as z from 'zod/mini';
import { CallRefused, type RefusalReason } from './provider.ts';

/** The longest answer that any provider has a reason to give, in bytes. */
const longestAnswer = 64 * 1024;

interface Body {
  readonly type: string;
  readonly text: string;
}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'HEAD';
  /** The setting of the API's address; exactly this one without a path below it. */
  readonly base: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal: AbortSignal;
}

export interface ProviderResponse {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
}

export const form = (fields: Readonly<Record<string, string>>): Body => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(fields).toString(),
});

export const json = (value: unknown): Body => ({ type: 'application/json', text: JSON.stringify(value) });

/**
 * Asks a provider once, on a connection of its own, so that nothing between us asks a second time. Follows no redirect:
 * it would carry the key elsewhere. The signal bounds the whole of it, also an answer that drips.
 */
export function requestProvider({
  method,
  base,
  path,
  headers,
  body,
  signal,
}: ProviderRequest): Promise<ProviderResponse> {
  const url = new URL(path === undefined ? base : base.replace(/\/$/, '') + path);
  const { request: open } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const request = open(url, {
      method,
      agent: false,
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': 'Vestibule',
        ...(body && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) }),
        ...headers,
      },
    });
    let connected = false;
    const fail = (what: string, mayRing = connected ? 1 : 0) => {
      request.destroy();
      reject(new CallRefused('unavailable', signal.aborted ? 'no answer in time' : what, { mayRing }));
    };
    request.on('socket', (socket) =>
      // With TLS nothing is sent before the other side has shown who it is.
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        connected = true;
      }),
    );
    request.on('error', ({ code, name }: NodeJS.ErrnoException) =>
      fail(`${connected ? 'a broken connection or answer' : 'no connection'} (${code ?? name})`),
    );
    request.on('close', () => fail('the connection was closed'));
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (status >= 300 && status < 400) return fail(`a redirect, which is not followed (HTTP ${status})`, 0);
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', () => fail('the answer broke off'));
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > longestAnswer) fail('an answer that is too long');
      });
      response.on('end', () => resolve({ status, body: readJson(Buffer.concat(chunks)) }));
    });
    request.end(body?.text);
  });
}

function readJson(bytes: Buffer): unknown {
  try {
    // Without the mark by which some begin a text, which is no JSON.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The answer as the provider documents it; throws when it is anything else. */
export function parseResponse<Schema extends z.ZodMiniType>(
  schema: Schema,
  { status, body }: ProviderResponse,
): z.output<Schema> {
  const read = schema.safeParse(body);
  if (!read.success) throw unexpectedResponse(status);
  return read.data;
}

/** A client error (RFC 9110, section 15.5) is a refusal, whatever its words; anything else may be said of a call that rings. */
export function unexpectedResponse(status: number): CallRefused {
  return refusedWith(status, reasonOfStatus(status), `an answer that it does not document (HTTP ${status})`);
}

/** A refusal as its status has it: no client error rings, but for 408, which says only that they waited too long for us. */
export function refusedWith(status: number, reason: RefusalReason, message: string): CallRefused {
  // mutation: timeout-is-clear
  const isClear = status >= 400 && status < 500 && status !== 408;
  return new CallRefused(reason, message, isClear ? { mayRing: 0 } : {});
}

/** What a status means where the provider says no more. */
export function reasonOfStatus(status: number): RefusalReason {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402) return 'balance';
  if (status === 429) return 'rate';
  return 'unavailable';
}
