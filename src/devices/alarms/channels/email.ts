import { days } from '../../../contract/units.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { suppressedAmong } from '../../../store/emails/suppression-list.ts';
import { countRequestInTransaction, limitKey } from '../../../store/rate-limits.ts';
import { beginPlacing } from '../../store/alarm-messages.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';

/** Emails about incidents for each account; a test counts as well. */
const aDay = 100;

/** Emails to a confirmed address, one thread for each incident. */
export const email: AlarmChannel = {
  name: 'email',
  heedsQuietHours: true,
  room: 8,
  recipient: ({ account }) => (account.email_proven_at === null ? undefined : account.email),
  send: (service, message) => enqueue(service, message),
};

/** Puts the email into the outbox, once: the same transaction marks the message. */
async function enqueue({ store, now, outbox }: ChannelService, message: AlarmMessage): Promise<Sending> {
  const { id, account, event, report } = message;
  const isUnreachable = await suppressedAmong(store, [{ recipient: account.email }]);
  if (isUnreachable({ recipient: account.email })) return { state: 'failed', error: 'emails to the address bounce' };
  const at = now();
  const sending = await store.transaction().execute(async (trx): Promise<Sending> => {
    if (!(await beginPlacing(trx, { id, at }))) return { state: 'sent' };
    const limit = { key: limitKey('alarm-emails', account.id), limit: aDay, within: days(1) };
    const counted = await countRequestInTransaction(trx, [limit], at);
    if (counted.state === 'refused') return { state: 'failed', error: `${aDay} emails a day` };
    await enqueueEmail(trx, {
      id,
      account,
      at,
      ...(report
        ? { notice: 'incident' as const, params: { event, report, at } }
        : { notice: 'alarm_test' as const, params: { when: message.at } }),
    });
    return { state: 'sent' };
  });
  outbox.wake();
  return sending;
}
