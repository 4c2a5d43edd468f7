import type { Answered, Endpoint } from '../../contract/endpoint.ts';
import type { Sent } from './send.ts';

/**
 * Sends a request of the contract, by code that is loaded on demand. If the request needs a session and its access token
 * has expired, refreshes the session once. Throws `RequestFailure`, or an error that `isCancelled` recognizes if `signal`
 * aborted the request.
 */
export async function sendRequest<E extends Endpoint>(endpoint: E, sent: Sent<E>): Promise<Answered<E>> {
  const { sendAs } = await import('./send-signed-in.ts');
  return (await sendAs(endpoint, sent)) as Answered<E>;
}
