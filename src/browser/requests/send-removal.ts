import type { Endpoint } from '../../contract/endpoint.ts';
import { RequestFailure } from './request-failure.ts';
import type { Sent } from './send.ts';
import { sendRequest } from './send-request.ts';

/** Sends a request that removes something; `not_found` counts as removed: by another tab, or by a request whose response was lost. */
export async function sendRemoval<E extends Endpoint>(endpoint: E, sent: Sent<E>): Promise<void> {
  await sendRequest(endpoint, sent).catch((failure: unknown) => {
    if (!(failure instanceof RequestFailure) || failure.code !== 'not_found') throw failure;
  });
}
