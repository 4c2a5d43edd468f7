import type { Endpoint, ResponseBody } from '../contract/endpoint.ts';
import { type FailureCode, failures, type Problem } from '../contract/failures.ts';

/** The response to requests of one endpoint while a state is shown. */
export interface Reply {
  readonly endpoint: Endpoint;
  readonly respond: () => Response;
}

type Detail = Pick<Problem, 'fields' | 'minutes' | 'reason' | 'attempts_left' | 'limit' | 'used' | 'ways'> & {
  /** Seconds; default: the minutes. */
  readonly retryAfter?: number;
};

const json = (status: number, body: unknown, headers = {}): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers });

/** Responds with success. */
export const answers = <E extends Endpoint>(endpoint: E, body: ResponseBody<E>): Reply => ({
  endpoint,
  respond: () => json(endpoint.status, body),
});

/** Responds with a failure of the contract. */
export const refuses = (endpoint: Endpoint, code: FailureCode, { retryAfter, ...detail }: Detail = {}): Reply => {
  const status = failures[code];
  const wait = retryAfter ?? (detail.minutes ?? 0) * 60;
  const headers = {
    ...(wait && { 'Retry-After': String(wait) }),
    ...(status === 500 && { 'X-Request-Id': '0F9A3C61B2' }),
  };
  return {
    endpoint,
    respond: () => json(status, { type: `urn:vestibule:${code}`, title: code, status, code, ...detail }, headers),
  };
};

/** Responds as a gateway without JSON does. */
export const breaks = (endpoint: Endpoint, status: number): Reply => ({
  endpoint,
  respond: () => new Response('<h1>Oops</h1>', { status }),
});

/** Does not respond: the network is down. */
export const loses = (endpoint: Endpoint): Reply => ({
  endpoint,
  respond() {
    throw new TypeError('Failed to fetch');
  },
});

/** Replaces `fetch` with these replies. A request without a reply stays pending until it is aborted. */
export function replyWith(replies: readonly Reply[]): void {
  window.fetch = async (input, init) => {
    const { pathname } = new URL(String(input), location.href);
    const reply = replies.find(({ endpoint }) => isFor(endpoint, pathname, init?.method));
    return reply ? reply.respond() : neverTo(init?.signal);
  };
}

const isFor = ({ method, path }: Endpoint, pathname: string, asked = 'GET'): boolean =>
  method === asked && new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(pathname);

let state = new AbortController();

const neverTo = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    for (const end of [signal, state.signal]) end?.addEventListener('abort', () => reject(end.reason));
  });

/** Aborts pending requests. */
export function giveUpRequests(): void {
  state.abort();
  state = new AbortController();
}
