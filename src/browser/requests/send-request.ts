import type { Endpoint, ResponseBody } from '../../contract/endpoint.ts';
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
