import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { ReturnKind } from '../../../store/letters/returned-letters.ts';
import { address, forged, type Relay, readAs, unreadable, words } from './relay.ts';

const event = z.object({
  RecordType: z.string(),
  ID: z.catch(z.optional(z.int()), undefined),
  Type: words,
  Email: z.catch(address, ''),
  Description: words,
  Details: words,
});

/** https://postmarkapp.com/developer/api/bounce-api#bounce-types; others say nothing of whether mail arrives. */
const kinds: ReadonlyMap<string, ReturnKind> = new Map([
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

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Postmark signs nothing: it shows the user and the password that stand in the webhook's address
 * (https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook).
 */
export function postmark(userAndPassword: string): Relay {
  const expected = hash(`Basic ${Buffer.from(userAndPassword).toString('base64')}`);
  return {
    name: 'postmark',
    async read({ header, body }) {
      if (!timingSafeEqual(hash(header('authorization')), expected)) throw forged();
      const { RecordType, ID, Type, Email, Description, Details } = readAs(event, body.toString());
      const kind = RecordType === 'Bounce' || RecordType === 'SpamComplaint' ? kinds.get(Type) : undefined;
      if (!kind) return [];
      if (ID === undefined || Email === '') throw unreadable();
      return [{ id: String(ID), by: 'postmark', kind, email: Email, detail: Details || Description }];
    },
  };
}
