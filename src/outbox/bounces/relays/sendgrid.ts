import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod/mini';
import { seconds } from '../../../contract/units.ts';
import type { BounceKind } from '../../../store/emails/bounces.ts';
import type { BounceReport } from '../bounce-handler.ts';
import { address, forged, id, kindOfBounce, type Relay, readAs, refuseReplay, words } from './relay.ts';

const events = z.array(
  z.object({
    event: words,
    type: words,
    reason: words,
    response: words,
    status: words,
    bounce_classification: words,
    email: z.catch(address, ''),
    sg_event_id: z.catch(id, ''),
  }),
);

/**
 * Reads the verification key as SendGrid shows it: a P-256 key in base64, without the header and footer of a PEM.
 * Undefined for any other text.
 */
export function readSendgridKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
export const sendgrid = (key: KeyObject): Relay => ({
  name: 'sendgrid',
  async read({ header, body, now }) {
    const signature = Buffer.from(header('x-twilio-email-event-webhook-signature'), 'base64');
    const timestamp = header('x-twilio-email-event-webhook-timestamp');
    if (!verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, signature)) throw forged();
    refuseReplay(seconds(Number(timestamp)), now);
    return readAs(events, body.toString()).flatMap((event): BounceReport[] => {
      const { email, sg_event_id, reason, response } = event;
      const kind = kindOf(event);
      // Skip an unusable event and keep the others of its batch.
      if (!kind || email === '' || sg_event_id === '') return [];
      return [{ id: sg_event_id, by: 'sendgrid', kind, email, detail: reason || response }];
    });
  },
});

type Event = z.output<typeof events>[number];

/**
 * https://www.twilio.com/docs/sendgrid/api-reference/bounces-api; the webhook sends a classification only if the
 * operator enabled it.
 */
const addressClassifications = ['', 'invalid', 'invalid address', 'unclassified'];

function kindOf({ event, type, reason, status, bounce_classification }: Event): BounceKind | undefined {
  if (event === 'spamreport') return 'complaint';
  if (event === 'deferred') return 'delayed';
  // Dropped without sending, for example after an earlier bounce.
  if (event === 'dropped') return reason === 'Bounced Address' ? 'no_such_address' : 'refused';
  if (event !== 'bounce') return undefined;
  // A block may be lifted; any other classification concerns a full mailbox, the sender or the content.
  const isOfAddress = addressClassifications.includes(bounce_classification.toLowerCase());
  return type === 'blocked' || !isOfAddress ? 'refused' : kindOfBounce(status, reason);
}
