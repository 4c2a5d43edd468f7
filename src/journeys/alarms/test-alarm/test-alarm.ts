import { hours } from '../../../contract/durations.ts';
import { tooMuch } from '../../../contract/refuse.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { notify } from '../../../store/accounts/notifications.ts';
import { alarmRulesOf } from '../../../store/computers/alarm-rules.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import { countRequest } from '../../../store/rate-limits.ts';
import { testAlarm as endpoint } from '../alarms.contract.ts';

const testsAnHour = 10;

interface TestRequest {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Sends a test alarm the same ways as a real one. Returns whether an email is among them. */
export async function testAlarm(service: Service, { accountId, sessionId }: TestRequest): Promise<{ email: boolean }> {
  const { store, now } = service;
  const limit = { key: limitKey('alarm-test', accountId), limit: testsAnHour, within: hours(1) };
  const counted = await countRequest(store, [limit], now());
  if (counted.state === 'refused') throw tooMuch(endpoint, 'too_many_requests', counted.freeAt - now());
  const email = await store.transaction().execute(async (trx) => {
    const at = now();
    const account = await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now: at });
    await notify(trx, { account_id: accountId, at, kind: 'alarm_test', name: '' });
    const { by_email: byEmail } = await alarmRulesOf(trx, accountId);
    if (byEmail === 0 || account.email_proven_at === null) return false;
    await enqueueEmail(trx, { notice: 'alarm_test', params: { when: at }, account, at });
    return true;
  });
  service.outbox.wake();
  return { email };
}
