import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { BounceKind } from '../../../store/emails/bounces.ts';
import { address, forged, id, kindOfBounce, type Relay, readAs, unreadable, words } from './relay.ts';

const event = z.object({
  RecordType: z.string(),
  // May exceed what JavaScript reads exactly, as in Postmark's own example: used only if MessageID is missing.
  ID: z.catch(z.optional(z.number()), undefined),
  MessageID: z.catch(id, ''),
  Type: words,
  Email: z.catch(address, ''),
  Description: words,
  Details: words,
});

/** https://postmarkapp.com/developer/api/bounce-api#bounce-types; other types do not concern delivery. */
const kinds: ReadonlyMap<string, BounceKind> = new Map([
  ['HardBounce', 'no_such_address'],
  ['BadEmailAddress', 'no_such_address'],
  ['SpamComplaint', 'complaint'],
  ['Transient', 'delayed'],
  ['SoftBounce', 'refused'],
  ['DnsError', 'refused'],
  ['SpamNotification', 'refused'],
  ['VirusNotification', 'refused'],
  ['Blocked', 'refused'],
  ['DMARCPolicy', 'refused'],
  ['Unknown', 'refused'],
]);

/** RFC 9110, section 11.1: the scheme is case-insensitive. */
const basic = /^basic +(\S+)$/i;

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Postmark does not sign requests: it sends the user and the password from the webhook's URL
 * (https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook).
 */
export function postmark(userAndPassword: string): Relay {
  const expected = hash(Buffer.from(userAndPassword).toString('base64'));
  return {
    name: 'postmark',
    async read({ header, body }) {
      const given = basic.exec(header('authorization'))?.[1] ?? '';
      if (!timingSafeEqual(hash(given), expected)) throw forged();
      const { RecordType, ID, MessageID, Type, Email, Description, Details } = readAs(event, body.toString());
      const kind = RecordType === 'Bounce' || RecordType === 'SpamComplaint' ? kinds.get(Type) : undefined;
      if (!kind) return [];
      const message = MessageID || ID?.toString();
      if (message === undefined || Email === '') throw unreadable();
      return [
        {
          // Each message has one recipient. It may be delayed first and bounce later.
          id: `${message}:${Type}`,
          by: 'postmark',
          kind: kind === 'no_such_address' ? kindOfBounce(Details) : kind,
          email: Email,
          detail: Details || Description,
        },
      ];
    },
  };
}
