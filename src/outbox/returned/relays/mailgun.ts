import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { seconds } from '../../../contract/durations.ts';
import type { ReturnKind } from '../../../store/letters/returned-letters.ts';
import { address, forged, id, type Relay, readAs, refuseReplay, unreadable, words } from './relay.ts';

const signed = z.object({
  signature: z.object({
    timestamp: z.string().check(z.regex(/^\d{1,12}$/)),
    token: id,
    signature: z.string().check(z.regex(/^[\da-f]{64}$/)),
  }),
  'event-data': z.object({
    event: z.string(),
    severity: words,
    reason: words,
    recipient: z.catch(address, ''),
    'delivery-status': z.catch(z.object({ message: words, description: words }), { message: '', description: '' }),
  }),
});

/** Of what is permanent only these mean that nobody is there; others are a policy's, or an end of patience. */
const gone = ['bounce', 'suppress-bounce'];

/**
 * Mailgun signs a time and a token, and not what it tells (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks):
 * so each token counts once.
 */
export const mailgun = (key: string): Relay => ({
  name: 'mailgun',
  async read({ body, now }) {
    const text = body.toString();
    const { signature: given, 'event-data': event } = readAs(signed, text);
    const expected = createHmac('sha256', key)
      .update(given.timestamp + given.token)
      .digest();
    if (!timingSafeEqual(Buffer.from(given.signature, 'hex'), expected)) throw forged();
    refuseReplay(seconds(Number(given.timestamp)), now);
    const kind = kindOf(event);
    if (!kind) return [];
    const { recipient: email, reason, 'delivery-status': status } = event;
    if (email === '') throw unreadable();
    const detail = status.message || status.description || reason;
    // An event's own id is unique within a day.
    return [{ id: given.token, by: 'mailgun', kind, email, detail }];
  },
});

function kindOf({ event, severity, reason }: z.output<typeof signed>['event-data']): ReturnKind | undefined {
  if (event === 'complained') return 'complaint';
  if (event !== 'failed') return undefined;
  if (severity !== 'permanent') return 'delayed';
  return gone.includes(reason) ? 'no_such_address' : 'refused';
}
