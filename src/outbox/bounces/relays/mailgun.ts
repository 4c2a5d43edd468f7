import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { seconds } from '../../../contract/units.ts';
import type { BounceKind } from '../../../store/emails/bounces.ts';
import { address, forged, id, kindOfBounce, type Relay, readAs, refuseReplay, unreadable, words } from './relay.ts';

const signature = z.object({
  timestamp: z.string().check(z.regex(/^\d{1,12}$/)),
  token: id,
  signature: z.string().check(z.regex(/^[\da-f]{64}$/)),
});
type Signature = z.output<typeof signature>;

const signed = z.object({
  signature,
  'event-data': z.object({
    event: z.string(),
    severity: words,
    reason: words,
    recipient: z.catch(address, ''),
    'delivery-status': z.catch(z.object({ message: words, description: words, 'enhanced-code': words }), {
      message: '',
      description: '',
      'enhanced-code': '',
    }),
  }),
});
type Event = z.output<typeof signed>['event-data'];

/** Bytes. An event has a few kilobytes; our emails add no variables to it. */
const largestEvent = 64 * 1024;
/** An event has one `signature`, unless the operator's relay adds fields of that name. */
const maxCandidates = 3;
const signatureObject = /"signature"\s*:\s*(\{[^{}]{1,1000}\})/g;
/** Reasons for a permanent failure that may mean an unknown address; others are a policy or too many retries. */
const gone = ['bounce', 'suppress-bounce'];

/**
 * Mailgun signs a time and a token, but not the event
 * (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks). Each token therefore counts
 * once, even if its event changes nothing.
 */
export const mailgun = (key: string): Relay => {
  function isMailguns({ timestamp, token, signature: given }: Signature): boolean {
    const expected = createHmac('sha256', key)
      .update(timestamp + token)
      .digest();
    return timingSafeEqual(Buffer.from(given, 'hex'), expected);
  }

  return {
    name: 'mailgun',
    largestBody: largestEvent,
    async read({ body, now }) {
      const text = body.toString();
      // The signature is inside the JSON: verify it before parsing the body.
      const candidates = [...text.matchAll(signatureObject)].slice(0, maxCandidates);
      if (!candidates.some(([, object = '']) => isSignature(object, isMailguns))) throw forged();
      const { signature: given, 'event-data': event } = readAs(signed, text);
      if (!isMailguns(given)) throw forged();
      refuseReplay(seconds(Number(given.timestamp)), now);
      const { recipient: email, reason, 'delivery-status': status } = event;
      const kind = kindOf(event);
      if (kind !== 'ignored' && email === '') throw unreadable();
      const detail = status.message || status.description || reason;
      // Not the event's own id, which is unique only within a day.
      return [{ id: given.token, by: 'mailgun', kind, email, detail }];
    },
  };
};

function isSignature(object: string, isMailguns: (given: Signature) => boolean): boolean {
  try {
    const read = signature.safeParse(JSON.parse(object));
    return read.success && isMailguns(read.data);
  } catch {
    return false;
  }
}

function kindOf({ event, severity, reason, 'delivery-status': status }: Event): BounceKind | 'ignored' {
  if (event === 'complained') return 'complaint';
  if (event !== 'failed') return 'ignored';
  if (severity !== 'permanent') return 'delayed';
  return gone.includes(reason) ? kindOfBounce(status['enhanced-code'], status.message) : 'refused';
}
