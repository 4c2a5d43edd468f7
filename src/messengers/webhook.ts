import type { Reach } from '../outgoing/public-address.ts';
import { RequestFailed, sendRequest } from '../outgoing/send-request.ts';
import { type SignableWebhook, signatureHeaders } from '../webhooks/send-event.ts';

/** `gone`: the receiver wants no more (410). */
export type PostOutcome =
  | { readonly state: 'accepted'; readonly said: string }
  | { readonly state: 'gone' | 'refused'; readonly said: string }
  | { readonly state: 'later'; readonly said: string; readonly retryAfter: number };

const responseTimeout = 10_000;
/** Seconds, unless the receiver says how long. */
const usualPause = 60;

/** Posts a signed message to a URL that a user chose, as Standard Webhooks 1.0.0 describes. */
export const openWebhookSender =
  ({ reach }: { readonly reach: Reach }) =>
  async (url: URL, webhook: SignableWebhook, signal: AbortSignal): Promise<PostOutcome> => {
    if (!reach.allows(url)) return { state: 'refused', said: 'a private address' };
    try {
      const { status, retryAfter } = await sendRequest({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signatureHeaders(webhook) },
        body: webhook.body,
        signal: AbortSignal.any([AbortSignal.timeout(responseTimeout), signal]),
        longestBody: 0,
        lookup: reach.lookupFor(url),
      });
      const said = `HTTP ${status}`;
      if (status >= 200 && status < 300) return { state: 'accepted', said };
      if (status === 410) return { state: 'gone', said: `${said} Gone` };
      if (status >= 300 && status < 400)
        return { state: 'refused', said: `${said}, a redirect, which we do not follow` };
      // A receiver that is misconfigured for a moment, such as during a deployment, also says 404.
      return { state: 'later', said, retryAfter: retryAfter ?? usualPause };
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      return { state: 'later', said: error.message, retryAfter: usualPause };
    }
  };
