import * as http from 'node:http';
import * as https from 'node:https';
import type * as z from 'zod/mini';
import { CallRefused, type RefusalReason } from './provider.ts';

/** Limit for a provider's response, in bytes; far above any legitimate one. */
const longestAnswer = 64 * 1024;

interface Body {
  readonly type: string;
  readonly text: string;
}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'HEAD';
  /** The API's address from the settings; used unchanged if there is no `path`. */
  readonly base: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal: AbortSignal;
}

export interface ProviderResponse {
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

export const form = (fields: Readonly<Record<string, string>>): Body => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(fields).toString(),
});

export const json = (value: unknown): Body => ({ type: 'application/json', text: JSON.stringify(value) });

/**
 * Sends one request on its own connection, so that no connection pool retries it. Does not follow redirects, which
 * would carry the key elsewhere. The signal limits the whole exchange, including a response that drips.
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
      // With TLS, the request leaves only after the server's certificate is verified.
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        connected = true;
      }),
    );
    request.on('error', ({ code, name }: NodeJS.ErrnoException) =>
      fail(`${connected ? 'the connection or response broke off' : 'no connection'} (${code ?? name})`),
    );
    request.on('close', () => fail('the connection was closed'));
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (status >= 300 && status < 400)
        return fail(`the provider redirected us, which we do not follow (HTTP ${status})`, 0);
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', () => fail('the response broke off'));
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > longestAnswer) fail('the response is too long');
      });
      response.on('end', () => resolve({ status, body: readJson(Buffer.concat(chunks)) }));
    });
    request.end(body?.text);
  });
}

function readJson(bytes: Buffer): unknown {
  try {
    // TextDecoder strips a byte order mark, which JSON.parse rejects.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Parses a response as the provider documents it; throws `CallRefused` if it differs. */
export function parseResponse<Schema extends z.ZodMiniType>(
  schema: Schema,
  { status, body }: ProviderResponse,
): z.output<Schema> {
  const read = schema.safeParse(body);
  if (!read.success) throw unexpectedResponse(status);
  return read.data;
}

/**
 * A client error (RFC 9110, section 15.5) is a refusal, whatever its text; after any other status the phone may ring.
 */
export function unexpectedResponse(status: number): CallRefused {
  return refusedWith(status, reasonOfStatus(status), `an undocumented response (HTTP ${status})`);
}

/**
 * A refusal by its status: after a client error the phone does not ring, except after 408, a timeout of our request.
 */
export function refusedWith(status: number, reason: RefusalReason, message: string): CallRefused {
  // mutation: timeout-is-clear
  const isClear = status >= 400 && status < 500 && status !== 408;
  return new CallRefused(reason, message, isClear ? { mayRing: 0 } : {});
}

/** Reason by the status alone, if the provider gives no details. */
export function reasonOfStatus(status: number): RefusalReason {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402) return 'balance';
  if (status === 429) return 'rate';
  return 'unavailable';
}
