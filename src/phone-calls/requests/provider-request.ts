import type * as z from 'zod/mini';
import { type RequestFailed, sendRequest } from '../../outgoing/send-request.ts';
import { CallRefused, type RefusalReason } from '../provider.ts';

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

/** Sends one request. Throws `CallRefused`; after a redirect, which we do not follow, the phone does not ring. */
export async function requestProvider({
  method,
  base,
  path,
  headers,
  body,
  signal,
}: ProviderRequest): Promise<ProviderResponse> {
  const response = await sendRequest({
    url: new URL(path === undefined ? base : base.replace(/\/$/, '') + path),
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': body.type }), ...headers },
    body: body?.text,
    signal,
    longestBody: longestAnswer,
  }).catch((error: RequestFailed) => {
    throw new CallRefused('unavailable', error.message, { mayRing: error.mayHaveArrived ? 1 : 0 });
  });
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new CallRefused('unavailable', `the provider redirected us, which we do not follow (HTTP ${status})`, {
      mayRing: 0,
    });
  return { status, body: readJson(response.body) };
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
  const isClear = status >= 400 && status < 500 && status !== 408;
  return new CallRefused(reason, message, isClear ? { mayRing: 0 } : {});
}

/** A refusal that the provider explains in its response: the phone does not ring, unless the provider itself failed. */
export const refusedInWords = (status: number, reason: RefusalReason, message: string): CallRefused =>
  status < 400 ? new CallRefused(reason, message, { mayRing: 0 }) : refusedWith(status, reason, message);

/** Reason by the status alone, if the provider gives no details. */
export function reasonOfStatus(status: number): RefusalReason {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402) return 'balance';
  if (status === 429) return 'rate';
  return 'unavailable';
}
