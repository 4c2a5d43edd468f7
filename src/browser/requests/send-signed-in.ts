import type { Endpoint } from '../../contract/endpoint.ts';
import { RequestFailure } from './request-status.ts';
import { type Outgoing, send } from './send.ts';
import { accessToken, loseSession, mayHaveSession } from './session.ts';
import { isRefreshing, refreshSession } from './session-requests.ts';
import { proveAgain } from './step-up.ts';

/** Sends a request, with the session if it needs one. */
export const sendAs = (endpoint: Endpoint, sent: Outgoing): Promise<unknown> =>
  endpoint.auth ? sendSignedIn(endpoint, sent) : send(endpoint, sent);

/** Refuses methods that the account does not accept with the same code. */
const stepUpPath = '/auth/step-up';

/** If the last proof of identity is too old, the user proves it again, and the request is repeated (RFC 9470). */
async function sendSignedIn(endpoint: Endpoint, sent: Outgoing): Promise<unknown> {
  try {
    return await sendWithToken(endpoint, sent);
  } catch (failure) {
    const isRefusal = failure instanceof RequestFailure && failure.code === 'step_up_required';
    if (!isRefusal || sent.isBackground || endpoint.path === stepUpPath) throw failure;
    await proveAgain(failure, sent.signal);
  }
  return sendWithToken(endpoint, sent);
}

async function sendWithToken(endpoint: Endpoint, sent: Outgoing): Promise<unknown> {
  const token = accessToken();
  if (token !== undefined) {
    try {
      return await send(endpoint, sent, token);
    } catch (failure) {
      if (!(failure instanceof RequestFailure) || failure.code !== 'not_signed_in') throw failure;
    }
  }
  if (!mayHaveSession() && !isRefreshing()) {
    // The user may have cleared the data of this site.
    loseSession();
    throw new RequestFailure(401, { code: 'not_signed_in' });
  }
  // Another request may have refreshed the token in the meantime.
  if (accessToken() === token) await refreshSession();
  return send(endpoint, sent, accessToken());
}
