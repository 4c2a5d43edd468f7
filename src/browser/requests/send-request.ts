import type { Answered, Endpoint } from '../../contract/endpoint.ts';
import type { Sent } from './send.ts';

/**
 * Sends a request of the contract, by code that is loaded with the contract. One that needs a session refreshes it once
 * if its access token has run out. Throws `RequestFailure`; when `signal` gave the request up, an error for which
 * `isCancelled` holds.
 */
export async function sendRequest<E extends Endpoint>(endpoint: E, sent: Sent<E>): Promise<Answered<E>> {
  const { sendAs } = await import('./send-signed-in.ts');
  return (await sendAs(endpoint, sent)) as Answered<E>;
}
