import { days, hours, minutes, seconds } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { type AccountsTable, lockAndFindAccount } from '../../store/accounts/accounts.ts';
import { eachApart, type Store, type StoreTransaction } from '../../store/database.ts';
import { recordAlarms } from '../../store/webhooks/record-event.ts';
import type { AlarmKind } from '../contract/alarm-kinds.ts';
import { type AlarmRule, decidingFor, kindOf } from '../contract/alarm-rules.ts';
import { returnWithin } from '../contract/record-kinds.ts';
import { isBeyondLimit, pendingEvents, readLimits, sharesOf } from '../store/alarm-facts.ts';
import { alarmPlansOf } from '../store/alarm-plans.ts';
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
import { openIncidentsWith } from '../store/incidents.ts';
import { notify } from '../store/notifications.ts';
import { notPaused, type Paused, pausesAt } from '../store/pauses.ts';
import { addToIncidents, flapsWithin } from './incidents/gather-incidents.ts';

/** An alarm that the owner has not received yet. */
interface AlarmEvent {
  /** The computer's id. */
  readonly computer: string;
  readonly kind: AlarmKind;
  /** Id of the rule. */
  readonly rule: string;
  /** The computer's name. */
  readonly device: string;
  /** The last signal of a silent computer, or when anything else began (ms since the epoch). */
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

/** What the owner of a computer chose for it. */
interface Chosen {
  readonly paused: Paused;
  /** Those that decide, without those against an alarm. */
  readonly rules: readonly AlarmRule[];
}

const never = Number.POSITIVE_INFINITY;
/** However far away the next alarm is: a computer is cheap to evaluate, and clocks change. */
const atLeastEvery = days(1);

/**
 * Decides which alarms a computer causes, and when to evaluate it next. A silence is identified by the last signal before
 * it, and an excess by being current, so each is an event once, as long as its rule stays.
 */
function evaluateAlarm(state: AlarmState, time: Time, chosen: Chosen): Evaluation {
  const { id, name: device } = state;
  const { now } = time;
  const known = state.alarm_warnings.split(' ');
  const limits = limitsOf(state, chosen.rules, now);
  const beyond = limits.filter(({ dueAt }) => dueAt <= now);
  const mutedUntil = Math.max(state.muted_until, chosen.paused.maintenanceUntil ?? 0);
  const next = {
    id,
    alarm_events: '',
    alarm_limits:
      limits.length === 0 ? '' : JSON.stringify(limits.map(({ kind, limit, since }) => ({ kind, limit, since }))),
  };
  if (mutedUntil > now) {
    const kept = beyond.filter(({ kind }) => known.includes(kind));
    const alarm_warnings = kept.map(({ kind }) => kind).join(' ');
    return { events: [], next: { ...next, ...reported(state), alarm_check_at: mutedUntil, alarm_warnings } };
  }
  const silence = evaluateSilence(state, time, chosen);
  const noticed = [
    ...beyond
      .filter(({ kind }) => !known.includes(kind))
      .map(({ kind, rule, since }) => ({ kind, rule, when: since ?? now })),
    ...newsOf(state, chosen.rules).map(({ kind, rule }) => ({ kind, rule, when: now })),
  ];
  const nextExcess = limits.reduce((next, { dueAt }) => (dueAt > now ? Math.min(next, dueAt) : next), never);
  return {
    events: [...silence.events, ...noticed.map((one) => ({ ...one, computer: id, device }))],
    next: {
      ...next,
      alarm_check_at: Math.min(silence.checkAt, nextExcess, now + atLeastEvery),
      alarm_silent_at: silence.reported,
      alarm_warnings: beyond.map(({ kind }) => kind).join(' '),
    },
  };
}

/** What happened since the last evaluation, each kind once: the first rule decides how the owner learns of it. */
function newsOf(state: AlarmState, rules: readonly AlarmRule[]) {
  const pending = pendingEvents(state);
  const noticed = rules.flatMap((rule) => pending.find((event) => event.rule === rule.id) ?? []);
  return noticed.filter((event, at) => noticed.findIndex(({ kind }) => kind === event.kind) === at);
}

const reported = ({ alarm_silent_at }: AlarmState) => ({ alarm_silent_at });

function evaluateSilence(state: AlarmState, { now, countedFrom: reachable }: Time, { rules, paused }: Chosen) {
  const { id, last_seen_at: lastSeen } = state;
  const rule = rules.find(({ when }) => when.event === 'silent');
  if (rule?.when.event !== 'silent') return { events: [], checkAt: never, reported: null };
  const after = minutes(rule.when.after_minutes);
  const countedFrom = Math.max(reachable, paused.endedAt);
  const isReported = state.alarm_silent_at === lastSeen;
  // A smartphone with such a rule also says goodbye whenever it sleeps.
  const isOff = state.left_at === lastSeen && state.kind === 'computer';
  // A computer that is off is silent only if it announced to be back, and is not.
  const expectedBy = isOff ? (state.returns_by ?? never) : Math.max(lastSeen, countedFrom) + after;
  const silentFrom = Math.max(expectedBy, countedFrom + returnWithin);
  const isSilent = !isReported && paused.offUntil === undefined && now >= silentFrom;
  // A silence that was reported, or a shutdown, can only be followed by a signal and another silence.
  const next = isReported || isSilent || silentFrom === never ? now + after : silentFrom;
  const event = { computer: id, kind: 'computer_silent' as const, rule: rule.id, device: state.name, when: lastSeen };
  return {
    events: isSilent ? [event] : [],
    // In off hours, a time of silence that has passed counts from their end.
    checkAt: Math.max(next, paused.offUntil ?? 0),
    reported: isSilent ? lastSeen : state.alarm_silent_at,
  };
}

/** What the rules compare the values of a computer with, since when each is beyond, and when that becomes an alarm. */
function limitsOf(state: AlarmState, rules: readonly AlarmRule[], now: number) {
  const known = readLimits(state.alarm_limits);
  const values = sharesOf(state.readings);
  const warned = state.warnings.split(' ');
  return rules.flatMap((rule) => {
    if (rule.when.event !== 'value') return [];
    const [kind, { value, limit, for_minutes: length }] = [kindOf(rule), rule.when];
    const current = values[value];
    // Of agents that report no values, we know their warnings.
    const isBeyond = current === undefined ? warned.includes(kind) : isBeyondLimit({ kind, limit }, current);
    const since = isBeyond ? (known.find((one) => one.kind === kind)?.since ?? now) : null;
    return [
      { kind, limit, since, rule: rule.id, dueAt: since === null ? never : Math.min(since, now) + minutes(length) },
    ];
  });
}

/** Computers in one query. */
const batchSize = 500;
/** Then an evaluation ends and the next one continues: well below `longestGap`, which would count as our outage. */
const longestEvaluation = seconds(20);
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
  if (isUnreachable) return { reported, isUnreachable };
  const time = { now: watch.evaluated_at, countedFrom: watch.counted_from };
  const deadline = performance.now() + longestEvaluation;
  while (performance.now() < deadline) {
    const due = await dueAlarms(store, { now: time.now, max: batchSize });
    const chosenFor = await readChoices(store, { of: due, now: time.now });
    const evaluated = due.map((read) => ({ read, ...evaluateAlarm(read, time, chosenFor(read)) }));
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

/** Reads what the owners of these computers chose. */
async function readChoices(store: Store, { of, now }: { of: readonly AlarmState[]; now: number }) {
  const accounts = [...new Set(of.map(({ account_id }) => account_id))];
  const planOf = await alarmPlansOf(store, accounts);
  const known = new Map(
    accounts.map((id) => {
      const { pauses, rules } = planOf(id);
      return [id, { rules, pausedAt: pauses.length > 0 ? pausesAt(pauses, now) : () => notPaused }] as const;
    }),
  );
  return ({ id, account_id, kind, tags }: AlarmState): Chosen => {
    const { rules = [], pausedAt = () => notPaused } = known.get(account_id) ?? {};
    const device = { id, kind, tags: JSON.parse(tags) as string[] };
    return { paused: pausedAt(device), rules: decidingFor(rules, device).filter(({ by }) => by !== 'none') };
  };
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
  const chosenFor = await readChoices(trx, { of: states, now });
  const evaluated = states.map((state) => evaluateAlarm(state, { now, countedFrom }, chosenFor(state)));
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
  const accountId = account.id;
  const news = await withoutRepetitions(trx, { account, events, at });
  if (news.length > 0)
    await notify(
      trx,
      ...news.map(({ computer, kind, device, when }) => ({
        ...{ account_id: accountId, at, kind, name: device },
        ...{ computer_id: computer, began_at: when },
      })),
    );
  await recordAlarms(trx, { accountId, alarms: news, at });
  await addToIncidents(trx, { accountId, falls: events, at });
}

/** What happens again and again is no news: only its incident goes on. */
async function withoutRepetitions(
  trx: StoreTransaction,
  { account, events, at }: Alarms,
): Promise<readonly AlarmEvent[]> {
  const repeated = new Set<AlarmEvent>();
  for (const [kind, own] of Map.groupBy(events, (event) => event.kind)) {
    const ids = own.map(({ computer }) => computer);
    const open = await openIncidentsWith(trx, { accountId: account.id, kind, ids }, at - flapsWithin);
    for (const event of own) if (open.has(event.computer)) repeated.add(event);
  }
  return events.filter((event) => !repeated.has(event));
}
