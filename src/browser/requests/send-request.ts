import type { Endpoint, ResponseBody } from '../../contract/endpoint.ts';
import { RequestFailure } from './request-status.ts';
import type { Sent } from './send.ts';

/**
 * Sends a request of the contract; its code loads on demand. If the request needs a session and the access token has
 * expired, refreshes the session once. Throws `RequestFailure`, or, if `signal` aborted the request, an error that
 * `isCancelled` recognizes.
 */
export async function sendRequest<E extends Endpoint>(endpoint: E, sent: Sent<E>): Promise<ResponseBody<E>> {
  const { sendAs } = await import('./send-signed-in.ts');
  return (await sendAs(endpoint, sent)) as ResponseBody<E>;
}

/** Sends a request that removes something; `not_found` counts as removed: by another tab, or by a request whose response was lost. */
export async function sendRemoval<E extends Endpoint>(endpoint: E, sent: Sent<E>): Promise<void> {
  await sendRequest(endpoint, sent).catch((failure: unknown) => {
    if (!(failure instanceof RequestFailure) || failure.code !== 'not_found') throw failure;
  });
}
