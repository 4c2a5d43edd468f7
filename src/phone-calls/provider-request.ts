import * as z from 'zod/mini';
import { phoneDigits } from '../contract/fields/field-sizes.ts';
import { type RequestFailed, sendRequest } from '../outgoing/send-request.ts';
import { type CallPlacement, CallRefused, type RefusalReason } from './provider.ts';

/** Limit for a provider's response, in bytes; far above any legitimate one. */
const maxResponseBytes = 64 * 1024;

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
    longestBody: maxResponseBytes,
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

const longest = 120;

/**
 * A provider's error text, for the operator's log. A provider may repeat our request, so everything that could be a
 * number, a code or a key is removed.
 */
export function redactResponse(said: unknown): string {
  if (typeof said !== 'string' || said.trim() === '') return '';
  const plain = said
    .replace(/[\w-]{16,}/g, '…')
    .replace(/\d[\d\s().,+-]{2,}\d/g, '…')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return `: “${plain.length > longest ? `${plain.slice(0, longest)}…` : plain}”`;
}

/** Milliseconds for the provider's own refusal, which knows whether the request was sent. */
const graceOfOwnRefusal = 50;

/** Ends after `within` milliseconds, even if a provider ignores the signal. */
export function withTimeout<Result>(within: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(within)));
  const late = new Promise<never>((_, reject) => {
    const end = () => reject(new CallRefused('unavailable', 'no response in time'));
    signal.addEventListener('abort', () => setTimeout(end, graceOfOwnRefusal), { once: true });
  });
  return Promise.race([late, (async () => work(signal))()]);
}

/** A code in a provider's response: `"0435"`, or `435`, because numbers in JSON have no leading zeros. */
export const writtenCode = z.union([z.string(), z.number()]);

/** A placed call whose digits the provider reported: the last four of its code. */
export function theirs(code: z.output<typeof writtenCode>): CallPlacement {
  const digits = typeof code === 'number' ? String(code).padStart(phoneDigits, '0') : code.trim();
  if (!/^\d{4,}$/.test(digits)) throw new CallRefused('unavailable', 'the response lacks the digits of the call');
  return { kind: 'theirs', code: digits.slice(-phoneDigits) };
}

/** Text in a provider's response that may be written as a number. */
const writtenText = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value) => String(value).trim()),
);

/** An identifier in a provider's response: text, or a number. */
export const writtenId = z.pipe(writtenText, z.string().check(z.minLength(1)));

/** A whole number in a provider's response, such as an error code: `3`, or `"3"`. */
export const writtenInteger = z.pipe(
  z.pipe(writtenText, z.string().check(z.regex(/^-?\d{1,9}$/))),
  z.transform(Number),
);

/** A phone number in a provider's response, in international format with or without the plus sign. */
export const writtenNumber = z.pipe(
  z.pipe(writtenText, z.string().check(z.regex(/^\+?[1-9]\d{6,14}$/))),
  z.transform((number) => `+${withoutPlus(number)}`),
);

/** E.164 without the plus sign. */
export const withoutPlus = (phone: string): string => phone.replace(/^\+/, '');
