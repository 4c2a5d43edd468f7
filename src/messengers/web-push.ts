import type { KeyObject } from 'node:crypto';
import type { Reach } from '../outgoing/public-address.ts';
import { type OutgoingResponse, RequestFailed, sendRequest, toSingleLine } from '../outgoing/send-request.ts';
import { encryptPush, type PushKeys, vapidHeader } from '../security/web-push.ts';

export interface PushTarget extends PushKeys {
  readonly endpoint: string;
}

/** What the worker of the app shows (`phone-worker.client.js`). */
export interface PushNotice {
  readonly title: string;
  readonly body: string;
  /** A path of this service, which a tap opens. */
  readonly path: string;
  /** Replaces an older notice with the same one, also while the browser is offline. At most 32 characters (base64url). */
  readonly topic: string;
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
}

/** `gone`: the browser no longer has this subscription. */
export interface PushOutcome {
  readonly state: 'accepted' | 'gone' | 'later' | 'refused';
  /** The status of the push service; undefined without a response. */
  readonly status: number | undefined;
  /** The beginning of what it said, or why there is no response. */
  readonly said: string;
  /** Seconds that it asked to wait. */
  readonly retryAfter: number | undefined;
}

interface PushDeps {
  /** Undefined if there is neither an https origin nor an address of the operator. */
  readonly subject: string | undefined;
  /** The key that identifies us, from the keyring. */
  readonly privateKey: () => KeyObject;
  readonly reach: Reach;
  readonly now: () => number;
}

/** In seconds: how long a push service keeps a notice for a browser that is offline. */
const timeToLive = 24 * 60 * 60;
const responseTimeout = 10_000;
/** Characters of a refusal. */
const longestSaid = 200;
/** Bytes that are read of it. */
const longestBody = 20_000;

/** Sends a notice to one browser by its push service (RFC 8030). Undefined if web push is off. */
export function openWebPush({ subject, privateKey, reach, now }: PushDeps) {
  if (subject === undefined) return undefined;
  return async ({ endpoint, ...keys }: PushTarget, notice: PushNotice, signal?: AbortSignal): Promise<PushOutcome> => {
    const url = new URL(endpoint);
    if (!reach.allows(url))
      return { state: 'refused', status: undefined, said: 'private address', retryAfter: undefined };
    const stop = AbortSignal.timeout(responseTimeout);
    try {
      return outcomeOf(
        await sendRequest({
          url,
          method: 'POST',
          headers: {
            authorization: vapidHeader({ endpoint: url, subject, privateKey: privateKey(), now: now() }),
            'content-encoding': 'aes128gcm',
            'content-type': 'application/octet-stream',
            ttl: String(timeToLive),
            topic: notice.topic,
            urgency: 'high',
          },
          body: encryptPush(JSON.stringify(notice), keys),
          signal: signal ? AbortSignal.any([stop, signal]) : stop,
          longestBody,
          lookup: reach.lookupFor(url),
        }),
      );
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      return { state: 'later', status: undefined, said: error.message, retryAfter: undefined };
    }
  };
}

function outcomeOf({ status, body, retryAfter }: OutgoingResponse): PushOutcome {
  const said = toSingleLine(body.toString()).slice(0, longestSaid);
  return { state: stateOf(status), status, said, retryAfter };
}

function stateOf(status: number): PushOutcome['state'] {
  if (status >= 200 && status < 300) return 'accepted';
  if (status === 404 || status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'later' : 'refused';
}
