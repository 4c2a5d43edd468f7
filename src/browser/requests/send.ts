import type { BodySent, Endpoint, QuerySent } from '../../contract/endpoint.ts';
import type { Problem } from '../../contract/failures.ts';
import { browserTimeZone, timeZoneHeader } from '../../contract/fields/time.ts';
import { csrfCookie } from '../../contract/pages.ts';
import { csrf } from '../../contract/sign-in/admission.ts';
import { proofOfWorkHeader, readyForTask } from '../../contract/sign-in/proof-of-work.ts';
import { seconds } from '../../contract/units.ts';
import { uploadChunkBytes } from '../constants.ts';
import { readCookie, readCookies } from '../platform/storage.ts';
import { solveFor } from '../proof-of-work/solve-for.ts';
import { isCancelled, RequestFailure, readRefusal } from './request-status.ts';
import { accessToken, accountOf } from './session.ts';

/** A gateway in front may set this cookie (specification, section 7). */
const xsrfCookie = 'XSRF-TOKEN';

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [Key in Name]?: undefined }
  : { [Key in Name]: Value };

interface Sending {
  params?: Record<string, string>;
  /** Cancels the request. */
  signal?: AbortSignal | undefined;
  /** The user did not ask for the request, so no dialog opens for it. */
  isBackground?: boolean;
  /** The server does what a key asks for once. */
  idempotencyKey?: string;
}

/** The input of a request: body and query if the contract has them, and path parameters. */
export type Sent<E> = Part<'body', BodySent<E>> & Part<'query', QuerySent<E>> & Sending;

export interface Outgoing extends Sending {
  body?: unknown;
  query?: unknown;
  /** The offer to solve a task, or a solved one. */
  proof?: string | undefined;
  /** The first cookie unless given. */
  csrfToken?: string | undefined;
}

/** Sends one request. Solves a task for it if the server is flooded and gives us one. */
export async function send(endpoint: Endpoint, sent: Outgoing, token?: string): Promise<unknown> {
  if (!endpoint.provesWork) return sendVerified(endpoint, sent, token);
  try {
    return await sendVerified(endpoint, { ...sent, proof: readyForTask });
  } catch (failure) {
    if (!(failure instanceof RequestFailure) || !failure.task) throw failure;
    return solveFor(failure.task, { signal: sent.signal, send: (proof) => sendVerified(endpoint, { ...sent, proof }) });
  }
}

/** A page polls only a few addresses, but a search has one for each text. */
const maxVersions = 30;
/** The newest responses with an `ETag`, by address, to one account: while nothing changes, the server sends none again. */
const versions = new Map<string, { readonly tag: string; readonly content: unknown }>();
let readerOfVersions: string | undefined;

/** After a sign-out: whoever signs in next must find nothing of this account in the page's memory. */
export const forgetVersions = (): void => versions.clear();

/** The responses to the account that a token is for; forgets those to another one. */
function versionsOf(token: string) {
  const reader = accountOf(token);
  if (reader !== readerOfVersions) versions.clear();
  readerOfVersions = reader;
  return versions;
}

/** Keeps a response, unless the user has signed out, or somebody else has signed in, since its request. */
function keepVersion(address: string, token: string, tag: string, content: unknown): void {
  if (accountOf(accessToken()) !== accountOf(token)) return;
  const kept = versionsOf(token);
  kept.delete(address);
  kept.set(address, { tag, content });
  const [oldest = ''] = kept.keys();
  if (kept.size > maxVersions) kept.delete(oldest);
}

/** What `platform/early-requests.ts` requested while the page's code was still loading. */
interface EarlyReads {
  /** The access token of the requests. */
  readonly token: string;
  /** Responses by path; undefined for a request without a response. */
  readonly responses: Map<string, Promise<Response | undefined>>;
}

declare global {
  var earlyReads: EarlyReads | undefined;
}

/** Milliseconds since the page began to load. Afterward the data may be outdated, so it is read again. */
const freshFor = seconds(15);

/** Takes the early response to a read, if there is a fresh one for this token. Each is taken once. */
function takeEarlyRead(path: string, token: string): Promise<Response | undefined> | undefined {
  const { earlyReads } = globalThis;
  if (!earlyReads || earlyReads.token !== token || performance.now() > freshFor) return undefined;
  const response = earlyReads.responses.get(path);
  earlyReads.responses.delete(path);
  return response;
}

/** CSRF tokens that a request tries. */
const maxTokens = 3;

/**
 * Sends one request, and repeats it with a new CSRF token if the page's token has expired. Another application on the
 * domain may have set a cookie of the same name, so each of the newest is tried: a refused request has no effect.
 */
async function sendVerified(endpoint: Endpoint, sent: Outgoing, token?: string): Promise<unknown> {
  try {
    return await sendOnce(endpoint, sent, token);
  } catch (failure) {
    passOn(failure);
  }
  await sendOnce(csrf, { signal: sent.signal });
  const csrfTokens = readCookies(csrfCookie).slice(-maxTokens);
  const last = csrfTokens.pop();
  if (last === undefined) throw new RequestFailure(403, { code: 'cookies_blocked' });
  for (const csrfToken of csrfTokens) {
    try {
      return await sendOnce(endpoint, { ...sent, csrfToken }, token);
    } catch (failure) {
      passOn(failure);
    }
  }
  return sendOnce(endpoint, { ...sent, csrfToken: last }, token);
}

/** Throws every failure except that of a CSRF token, which another one may repair. */
function passOn(failure: unknown): void {
  if (!(failure instanceof RequestFailure) || failure.code !== 'csrf_failed') throw failure;
}

async function sendOnce(endpoint: Endpoint, outgoing: Outgoing, token?: string) {
  const { body, query, params, signal, proof, idempotencyKey, csrfToken = readCookie(csrfCookie) } = outgoing;
  const headers = new Headers({ Accept: 'application/json' });
  const add = (name: string, value: string | undefined) => value !== undefined && headers.set(name, value);
  add('X-CSRF-Token', csrfToken);
  add('X-XSRF-TOKEN', readCookie(xsrfCookie));
  add('Authorization', token && `Bearer ${token}`);
  add(timeZoneHeader, browserTimeZone());
  add(proofOfWorkHeader, proof);
  add('Idempotency-Key', idempotencyKey);
  const init: RequestInit = { method: endpoint.method, headers, credentials: 'same-origin', signal: signal ?? null };
  if (endpoint.method !== 'GET') {
    add('Content-Type', 'application/json');
    const text = JSON.stringify(body ?? {});
    Object.assign(init, text.length > uploadChunkBytes ? inChunks(text) : { body: text });
  }
  const address = addressOf(endpoint.path, params, query);
  const reader = endpoint.method === 'GET' ? token : undefined;
  const known = reader ? versionsOf(reader).get(address) : undefined;
  add('If-None-Match', known?.tag);
  const early = reader ? await takeEarlyRead(address, reader) : undefined;
  const response = early ?? (await fetch(address, init).catch(fail));
  if (response.status === 304 && known) return known.content;
  const text = await response.text().catch(fail);
  signal?.throwIfAborted();
  const content = contentOf(text);
  // A gateway, such as that of a hotel, may send a page of its own as a success.
  const isForeign = text !== '' && content === undefined;
  if (!response.ok || isForeign) {
    const reference = response.status === 500 ? response.headers.get('X-Request-Id') : null;
    throw new RequestFailure(
      response.status,
      { ...readRefusal(content as Partial<Problem> | undefined), reference },
      waitOf(response),
    );
  }
  const tag = response.headers.get('ETag');
  if (reader && tag) keepVersion(address, reader, tag, content);
  return content;
}

/** The content of a body; undefined if it is empty or not JSON. */
function contentOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fail = (error: unknown): never => {
  throw isCancelled(error) ? error : new RequestFailure(undefined);
};

/** Milliseconds of `Retry-After`. Ignores the date that a gateway may send, since the device's clock may be wrong. */
const waitOf = ({ headers }: Response) => seconds(Number(headers.get('Retry-After'))) || undefined;

function addressOf(path: string, params: Record<string, string> = {}, query?: unknown): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] as string));
  return query ? `${filled}?${new URLSearchParams(query as Record<string, string>)}` : filled;
}

/**
 * Streams a large body in chunks of 64 KB (specification, section 9). Sends it whole over HTTP/1.1, where browsers
 * refuse request streams, and in browsers without request streams.
 */
function inChunks(text: string): RequestInit & { duplex?: 'half' } {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (!('duplex' in Request.prototype) || !/^h[23]/.test(page?.nextHopProtocol ?? '')) return { body: text };
  return { body: chunks(new TextEncoder().encode(text)), duplex: 'half' };
}

/** The bytes as a stream of 64 KB chunks with backpressure. */
export function chunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(stream) {
      stream.enqueue(bytes.subarray(at, at + uploadChunkBytes));
      at += uploadChunkBytes;
      if (at >= bytes.length) stream.close();
    },
  });
}
