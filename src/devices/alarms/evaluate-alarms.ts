import { isKnownTimeZone } from '../../contract/fields/time-zone.ts';
import { days, hours, minutes, seconds } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { type AccountsTable, lockAndFindAccount } from '../../store/accounts/accounts.ts';
import { eachApart, type Store, type StoreTransaction } from '../../store/database.ts';
import { recordAlarms } from '../../store/webhooks/event-types.ts';
import { type Warning, warnings } from '../contract/record-kinds.ts';
import { alarmPlansOf } from '../store/alarm-plans.ts';
import { type AlarmRules, defaultAlarmRules, neverSilent } from '../store/alarm-rules.ts';
import {
  type AlarmState,
  type AlarmWatch,
  dueAlarms,
  type EvaluatedAlarm,
  lockDueAlarms,
  rescheduleAlarms,
  saveAlarms,
  watchAlarms,
} from '../store/alarm-states.ts';
import { notify } from '../store/notifications.ts';
import { notPaused, occurrenceAt, type Paused, pausesAt, timeOfDay } from '../store/pauses.ts';
import { addToIncidents } from './incidents/gather-incidents.ts';

/** An alarm that the owner has not received yet. */
interface AlarmEvent {
  /** The computer's id. */
  readonly computer: string;
  readonly kind: 'computer_silent' | Warning;
  /** The computer's name. */
  readonly device: string;
  /** The last signal of a silent computer, or when we noticed the warning (ms since the epoch). */
  readonly when: number;
}

interface Evaluation {
  readonly events: readonly AlarmEvent[];
  readonly next: EvaluatedAlarm;
}

interface Time {
  readonly now: number;
  /** Silence counts from here at the earliest: our own outage ended then. */
  readonly countedFrom: number;
}

/** What the pauses of its account mean for a computer. */
type PausedOf = (state: AlarmState) => Paused;

/** After our outage, agents return within their longest back-off, ten minutes (`bin/agent/report.mjs`). */
const returnWithin = minutes(15);
const never = Number.POSITIVE_INFINITY;
/** However far away the next alarm is: a computer is cheap to evaluate, and clocks change. */
const atLeastEvery = days(1);

/**
 * Decides which alarms a computer causes, and when to evaluate it next. A silence is identified by the last signal before
 * it, and a warning by being current, so each is an event once.
 */
function evaluateAlarm(state: AlarmState, { now, countedFrom: reachable }: Time, paused: Paused): Evaluation {
  const { id, name: device, last_seen_at: lastSeen, alarm_silent_at: reported } = state;
  const mutedUntil = Math.max(state.muted_until ?? 0, paused.maintenanceUntil ?? 0);
  if (mutedUntil > now) return { events: [], next: { ...stateOf(state), alarm_check_at: mutedUntil } };

  const current = warningsIn(state.warnings);
  const known = warningsIn(state.alarm_warnings);
  const wanted = current.filter((kind) => !known.includes(kind) && (state[kind] ?? defaultAlarmRules[kind]) === 1);
  const warned = wanted.map((kind) => ({ computer: id, kind, device, when: now }));

  const countedFrom = Math.max(reachable, paused.endedAt);
  const silentAfter = state.silent_after ?? defaultAlarmRules.silent_after;
  const isReported = reported === lastSeen;
  // A smartphone with such a rule also says goodbye whenever it sleeps.
  const isOff = state.left_at === lastSeen && state.kind === 'computer';
  // A computer that is off is silent only if it announced to be back, and is not.
  const expectedBy = isOff ? (state.returns_by ?? never) : Math.max(lastSeen, countedFrom) + silentAfter;
  const silentFrom = Math.max(expectedBy, countedFrom + returnWithin);
  const isSilent = !isReported && paused.offUntil === undefined && silentAfter < neverSilent && now >= silentFrom;
  // A silence that was reported, or a shutdown, can only be followed by a signal and another silence.
  const nextSilence = isReported || isSilent || silentFrom === never ? now + silentAfter : silentFrom;
  return {
    events: isSilent ? [{ computer: id, kind: 'computer_silent', device, when: lastSeen }, ...warned] : warned,
    next: {
      id,
      // In off hours, a time of silence that has passed counts from their end.
      alarm_check_at: Math.min(Math.max(nextSilence, paused.offUntil ?? 0), now + atLeastEvery),
      alarm_silent_at: isSilent ? lastSeen : reported,
      alarm_warnings: current.join(' '),
    },
  };
}

const stateOf = ({ id, alarm_check_at, alarm_silent_at, alarm_warnings }: AlarmState): EvaluatedAlarm => ({
  id,
  alarm_check_at,
  alarm_silent_at,
  alarm_warnings,
});

function warningsIn(kept: string): Warning[] {
  const kinds = kept.split(' ');
  return warnings.filter((warning) => kinds.includes(warning));
}

/** Computers in one query. */
const batchSize = 500;
/** Then an evaluation ends and the next one continues: well below `longestGap`, which would count as our outage. */
const longestEvaluation = seconds(20);
/**
 * Nothing is reported for this long after the first evaluation ever: while an update replaces nodes one by one, the
 * older ones cannot show these notifications.
 */
const reportingDelay = minutes(15);
/** Until then, its owner may cancel the deletion of the account. */
const recheckBeforeDeletion = hours(1);

type Evaluating = Pick<Service, 'store' | 'now'>;

interface AlarmResult {
  readonly reported: number;
  /** No computer reaches the service, so nothing was evaluated. */
  readonly isUnreachable: boolean;
}

/**
 * Evaluates the alarms that are due, and opens incidents about them. Any number of nodes may do this at the same time: a
 * computer's state, the notification and the incident are one transaction, which has locked the account's row.
 */
export async function evaluateAlarms({ store, now }: Evaluating): Promise<AlarmResult> {
  const watch = await watchAlarms(store, now);
  const isUnreachable = watch.unreachable === 1;
  let reported = 0;
  if (isUnreachable || watch.evaluated_at < watch.begun_at + reportingDelay) return { reported, isUnreachable };
  const time = { now: watch.evaluated_at, countedFrom: watch.counted_from };
  const deadline = performance.now() + longestEvaluation;
  while (performance.now() < deadline) {
    const due = await dueAlarms(store, { now: time.now, max: batchSize });
    const pausedOf = await readPauses(store, { of: due, now: time.now });
    const evaluated = due.map((read) => ({ read, ...evaluateAlarm(read, time, pausedOf(read)) }));
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
    if (due.length < batchSize) break;
  }
  return { reported, isUnreachable };
}

/** Reads the pauses of the accounts of these computers. */
async function readPauses(store: Store, { of, now }: { of: readonly AlarmState[]; now: number }): Promise<PausedOf> {
  const accounts = [...new Set(of.map(({ account_id }) => account_id))];
  const planOf = await alarmPlansOf(store, accounts);
  const known = new Map(
    accounts.flatMap((id) => {
      const { pauses } = planOf(id);
      return pauses.length > 0 ? [[id, pausesAt(pauses, now)] as const] : [];
    }),
  );
  return ({ id, account_id, tags }) => known.get(account_id)?.({ id, tags: JSON.parse(tags) as string[] }) ?? notPaused;
}

interface Reporting {
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly watch: AlarmWatch;
}

/** Reports what is still due under the lock of the account. Returns the number of events. */
async function report(trx: StoreTransaction, { accountId, ids, watch }: Reporting): Promise<number> {
  const { evaluated_at: now, counted_from: countedFrom } = watch;
  const account = await lockAndFindAccount(trx, accountId);
  if (!account) return 0;
  const states = await lockDueAlarms(trx, { ids, now });
  const pausedOf = await readPauses(trx, { of: states, now });
  const evaluated = states.map((state) => evaluateAlarm(state, { now, countedFrom }, pausedOf(state)));
  const next = evaluated.map((evaluation) => evaluation.next);
  if (account.delete_at !== null) {
    // Its computers cannot report meanwhile; if a sign-in cancels the deletion, they have this long to return.
    const unchanged = states.map((state) => ({ ...state, alarm_check_at: now + recheckBeforeDeletion }));
    await saveAlarms(trx, unchanged);
    return 0;
  }
  await saveAlarms(trx, next);
  const events = evaluated.flatMap((evaluation) => evaluation.events).sort((one, other) => one.when - other.when);
  await notifyOwner(trx, { account, events, at: now });
  return events.length;
}

interface Alarms {
  readonly account: AccountsTable;
  readonly events: readonly AlarmEvent[];
  readonly at: number;
}

/** Adds a notification for each event, reports them to other applications, and adds them to incidents. */
async function notifyOwner(trx: StoreTransaction, { account, events, at }: Alarms): Promise<void> {
  if (events.length === 0) return;
  await notify(trx, ...events.map(({ kind, device }) => ({ account_id: account.id, at, kind, name: device })));
  await recordAlarms(trx, { accountId: account.id, alarms: events, at });
  await addToIncidents(trx, { accountId: account.id, falls: events, at });
}

type QuietHours = Pick<AlarmRules, 'quiet_from' | 'quiet_until'>;

/**
 * The end of the quiet hours in which a time lies (both in ms since the epoch), or the time itself if they are over. The
 * time zone is an IANA name; null or unknown: UTC.
 */
export function afterQuietHours(at: number, { quiet_from: from, quiet_until: until }: QuietHours, zone: string | null) {
  if (from === null || until === null || from === until) return at;
  const time_zone = isKnownTimeZone(zone) ? zone : 'UTC';
  const quiet = { from: timeOfDay(from), until: timeOfDay(until), time_zone };
  return occurrenceAt({ kind: 'off_hours', tags: [], computers: [], days_off: [], ...quiet }, at)?.until ?? at;
}
