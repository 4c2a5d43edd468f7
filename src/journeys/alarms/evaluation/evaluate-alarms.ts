import { hours, minutes, seconds } from '../../../contract/durations.ts';
import { enqueueBatch } from '../../../outbox/delivery/batch-notices.ts';
import type { Service } from '../../../server/service.ts';
import { type AccountsTable, holdAndFind } from '../../../store/accounts/accounts.ts';
import { notify } from '../../../store/accounts/notifications.ts';
import { alarmRulesOf } from '../../../store/computers/alarm-rules.ts';
import { dueAlarms, holdDueAlarms, rescheduleAlarms, saveAlarms } from '../../../store/computers/alarm-states.ts';
import { type AlarmWatch, watchAlarms } from '../../../store/computers/alarm-watch.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { eachApart } from '../../../store/each-apart.ts';
import { recordAlarms } from '../../../store/webhooks/record-event.ts';
import { afterQuietHours } from '../quiet-hours/quiet-hours.ts';
import { type AlarmEvent, evaluateAlarm } from './evaluate-alarm.ts';

/** Computers in one query. */
const atOnce = 500;
/** Then an evaluation ends and the next one continues: well below `longestGap`, which would count as our outage. */
const longestEvaluation = seconds(20);
/**
 * Nothing is reported for this long after the first evaluation ever: while an update replaces nodes one by one, the
 * older ones cannot show these notifications.
 */
const firstAfter = minutes(15);
/** Heartbeats are a minute apart, so computers that fall silent together are noticed over two minutes. */
const gathersFor = minutes(2);
/** Alarms are urgent, but 500 computers must not become 500 emails. */
const pace = { every: minutes(15), aDay: 24 };
/** Until then, its owner may cancel the deletion of the account. */
const whileLeaving = hours(1);

type Evaluating = Pick<Service, 'store' | 'now'> & { readonly outbox: Pick<Service['outbox'], 'wake'> };

export interface AlarmResult {
  readonly reported: number;
  /** No computer reaches the service, so nothing was evaluated. */
  readonly isUnreachable: boolean;
}

/**
 * Evaluates the alarms that are due, and notifies the owners. Any number of nodes may do this at the same time: a
 * computer's state, the notification and the email are one transaction, which holds the account.
 */
export async function evaluateAlarms({ store, now, outbox }: Evaluating): Promise<AlarmResult> {
  const watch = await watchAlarms(store, now);
  const isUnreachable = watch.unreachable === 1;
  let reported = 0;
  if (isUnreachable || watch.evaluated_at < watch.begun_at + firstAfter) return { reported, isUnreachable };
  const time = { now: watch.evaluated_at, countedFrom: watch.counted_from };
  const deadline = performance.now() + longestEvaluation;
  while (performance.now() < deadline) {
    const due = await dueAlarms(store, { now: time.now, most: atOnce });
    const evaluated = due.map((read) => ({ read, ...evaluateAlarm(read, time) }));
    await rescheduleAlarms(
      store,
      evaluated.flatMap(({ events, next, read }) => (events.length === 0 ? [{ ...next, read }] : [])),
    );
    const withEvents = evaluated.flatMap(({ events, read }) => (events.length > 0 ? [read] : []));
    await eachApart(
      Map.groupBy(withEvents, ({ account_id }) => account_id),
      async ([accountId, own]) => {
        if (performance.now() > deadline) return;
        const ids = own.map(({ id }) => id);
        reported += await store.transaction().execute((trx) => report(trx, { accountId, ids, watch }));
      },
    );
    if (due.length < atOnce) break;
  }
  if (reported > 0) outbox.wake();
  return { reported, isUnreachable };
}

interface Reporting {
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly watch: AlarmWatch;
}

/** Reports what is still due under the lock of the account. Returns the number of events. */
async function report(trx: StoreTransaction, { accountId, ids, watch }: Reporting): Promise<number> {
  const { evaluated_at: now, counted_from: countedFrom } = watch;
  const account = await holdAndFind(trx, accountId);
  if (!account) return 0;
  const states = await holdDueAlarms(trx, { ids, now });
  const evaluated = states.map((state) => evaluateAlarm(state, { now, countedFrom }));
  const next = evaluated.map((evaluation) => evaluation.next);
  if (account.delete_at !== null) {
    // Its computers cannot report meanwhile; if a sign-in cancels the deletion, they have this long to return.
    const unchanged = states.map((state) => ({ ...state, alarm_check_at: now + whileLeaving }));
    await saveAlarms(trx, unchanged);
    return 0;
  }
  await saveAlarms(trx, next);
  const events = evaluated.flatMap((evaluation) => evaluation.events).sort((one, other) => one.when - other.when);
  await tellOwner(trx, { account, events, at: now });
  return events.length;
}

interface Alarms {
  readonly account: AccountsTable;
  readonly events: readonly AlarmEvent[];
  readonly at: number;
}

/**
 * Adds a notification for each event, reports them to other applications, and adds all of them to one email if the owner
 * wants emails and proved the address.
 */
async function tellOwner(trx: StoreTransaction, { account, events, at }: Alarms): Promise<void> {
  if (events.length === 0) return;
  await notify(trx, ...events.map(({ kind, device }) => ({ account_id: account.id, at, kind, name: device })));
  await recordAlarms(trx, { accountId: account.id, alarms: events, at });
  const rules = await alarmRulesOf(trx, account.id);
  const [first, ...rest] = events.map(({ kind, device, when }) => ({ kind, device, when }));
  if (!first || rules.by_email === 0 || account.email_proven_at === null) return;
  const postpone = (due: number) => afterQuietHours(due, rules, account.time_zone);
  await enqueueBatch(trx, { notice: 'alarm', first, rest, account, at, holdFor: gathersFor, pace, postpone });
}
