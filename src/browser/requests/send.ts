import { csrfCookie } from '../../contract/cookies.ts';
import { seconds } from '../../contract/durations.ts';
import type { BodySent, Endpoint, QuerySent } from '../../contract/endpoint.ts';
import { isTimeZoneName, timeZoneHeader } from '../../contract/fields/time-zone.ts';
import { csrf } from '../../contract/session.ts';
import { uploadChunkBytes } from '../constants.ts';
import { readCookie } from '../platform/cookies.ts';
import { isCancelled, RequestFailure, readRefusal } from './request-failure.ts';

/** A gateway in front may set one (specification, section 7). */
const xsrfCookie = 'XSRF-TOKEN';

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [Key in Name]?: undefined }
  : { [Key in Name]: Value };

/** What a request takes: its body and query where the contract has them, its path's parameters, a way to cancel it. */
export type Sent<E> = Part<'body', BodySent<E>> &
  Part<'query', QuerySent<E>> & { params?: Record<string, string>; signal?: AbortSignal | undefined };

export interface Outgoing {
  body?: unknown;
  query?: unknown;
  params?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Sends one request and repeats it once with a fresh CSRF token when the page's own had become too old. */
export async function send(endpoint: Endpoint, sent: Outgoing, token?: string): Promise<unknown> {
  try {
    return await sendOnce(endpoint, sent, token);
  } catch (failure) {
    if (!(failure instanceof RequestFailure) || failure.code !== 'csrf_failed') throw failure;
  }
  await sendOnce(csrf, { signal: sent.signal });
  if (readCookie(csrfCookie) === undefined) throw new RequestFailure(403, { code: 'cookies_blocked' });
  return sendOnce(endpoint, sent, token);
}

async function sendOnce(endpoint: Endpoint, { body, query, params, signal }: Outgoing, token?: string) {
  const headers = new Headers({ Accept: 'application/json' });
  const add = (name: string, value: string | undefined) => value !== undefined && headers.set(name, value);
  add('X-CSRF-Token', readCookie(csrfCookie));
  add('X-XSRF-TOKEN', readCookie(xsrfCookie));
  add('Authorization', token && `Bearer ${token}`);
  add(timeZoneHeader, timeZone());
  const init: RequestInit = { method: endpoint.method, headers, credentials: 'same-origin', signal: signal ?? null };
  if (endpoint.method !== 'GET') {
    add('Content-Type', 'application/json');
    const text = JSON.stringify(body ?? {});
    Object.assign(init, text.length > uploadChunkBytes ? (await import('./upload.ts')).inChunks(text) : { body: text });
  }
  const response = await fetch(addressOf(endpoint.path, params, query), init).catch((error: unknown) => {
    throw isCancelled(error) ? error : new RequestFailure(undefined);
  });
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  signal?.throwIfAborted();
  if (!response.ok) throw new RequestFailure(response.status, readRefusal(answer), waitOf(response));
  return answer;
}

/** Milliseconds; a gateway may write a date, which says nothing that a device's own clock could tell. */
const waitOf = ({ headers }: Response) => seconds(Number(headers.get('Retry-After'))) || undefined;

/** Undefined where the browser tells none, or something that no header may hold. */
function timeZone(): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    return isTimeZoneName(timeZone) ? timeZone : undefined;
  } catch {
    return undefined;
  }
}

function addressOf(path: string, params: Record<string, string> = {}, query?: unknown): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] as string));
  return query ? `${filled}?${new URLSearchParams(query as Record<string, string>)}` : filled;
}
