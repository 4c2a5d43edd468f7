import type { Answered, Endpoint } from '../../contract/endpoint.ts';
import { RequestFailure } from './request-failure.ts';
import { type Outgoing, type Sent, send } from './send.ts';
import { accessToken, mayHaveSession, refreshSession } from './session.ts';

/**
 * Sends a request of the contract. One that needs a session refreshes it once if its access token has run out.
 * Throws `RequestFailure`; when `signal` gave the request up, an error for which `isCancelled` holds.
 */
export async function sendRequest<E extends Endpoint>(endpoint: E, sent: Sent<E>): Promise<Answered<E>> {
  const answer = endpoint.auth === 'bearer' ? await sendSignedIn(endpoint, sent) : await send(endpoint, sent);
  return answer as Answered<E>;
}

async function sendSignedIn(endpoint: Endpoint, sent: Outgoing): Promise<unknown> {
  const token = accessToken();
  if (token !== undefined) {
    try {
      return await send(endpoint, sent, token);
    } catch (failure) {
      if (!(failure instanceof RequestFailure) || failure.code !== 'not_signed_in') throw failure;
    }
  }
  if (!mayHaveSession()) throw new RequestFailure(401, { code: 'not_signed_in' });
  // Another request may have brought a new token while this one was on its way.
  if (accessToken() === token) await refreshSession();
  return send(endpoint, sent, accessToken());
}
