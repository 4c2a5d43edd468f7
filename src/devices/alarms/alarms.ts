import { randomUUID } from 'node:crypto';
import type { BodyRead, ResponseBody } from '../../contract/endpoint.ts';
import { refuse, tooMuch } from '../../contract/failures.ts';
import { hours, iso, minutes } from '../../contract/units.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import type { Service } from '../../server/service.ts';
import { lockSignedInAccount, type Owner } from '../../store/access/session-owner.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import { countRequest, limitKey } from '../../store/rate-limits.ts';
import { isInScope, type Pause } from '../contract/pauses.ts';
import { eachWarning, type Warning } from '../contract/record-kinds.ts';
import { alarmPlanOf, setPauses } from '../store/alarm-plans.ts';
import {
  type AlarmOverridesTable,
  type AlarmRules,
  alarmOverrideOf,
  alarmOverridesOf,
  alarmRulesOf,
  alarmTagRulesOf,
  forgetAlarmTagRule,
  neverSilent,
  noOwnRules,
  type OwnAlarmRules,
  setAlarmOverride,
  setAlarmRules,
  setAlarmTagRule,
  silenceInMinutes,
  untilFurtherNotice,
} from '../store/alarm-rules.ts';
import { changeAlarmRules, makeAlarmsDue, makeAlarmsOfAccountDue } from '../store/alarms-due.ts';
import { type ComputersTable, computerOf, computersOf } from '../store/computers.ts';
import { notify } from '../store/notifications.ts';
import { minuteOfDay, nextOccurrences, timeOfDay } from '../store/pauses.ts';
import * as contract from './alarms.contract.ts';
import { type Alarms, type OwnRules, readComputerAlarms } from './alarms.contract.ts';
import { findUsuallyOff } from './usually-off.ts';

type StoredRules = Pick<OwnAlarmRules, 'silent_after'> & Readonly<Record<Warning, 0 | 1 | null>>;

/** Describes an account's alarm rules and those of its computers. */
export async function describeAlarms(
  { store, now }: Pick<Service, 'store' | 'now'>,
  account: Pick<AccountsTable, 'id' | 'email_proven_at' | 'time_zone'>,
): Promise<Alarms> {
  const { by_email: byEmail, quiet_from: from, quiet_until: until, ...rules } = await alarmRulesOf(store, account.id);
  const [computers, overrides, tags, plan] = await Promise.all([
    computersOf(store, account.id),
    alarmOverridesOf(store, account.id),
    describeTagRules(store, account.id),
    alarmPlanOf(store, account.id),
  ]);
  const zone = account.time_zone ?? 'UTC';
  const own = new Map(overrides.map((override) => [override.computer_id, override]));
  return {
    ...describeRules(rules),
    tags,
    email: byEmail === 1,
    email_confirmed: account.email_proven_at !== null,
    quiet_hours: from === null || until === null ? null : { from: timeOfDay(from), until: timeOfDay(until) },
    time_zone: zone,
    pauses: describePauses(plan.pauses, now()),
    usually_off: findUsuallyOff(
      computers.filter((computer) => !plan.pauses.some((pause) => isInScope(pause, describeComputer(computer)))),
      { now: now(), zone },
    ),
    computers: computers.map((computer) => ({
      ...describeComputer(computer),
      ...describeOverride(own.get(computer.id), now()),
    })),
  };
}

/** Describes the rules of an account and of one of its computers. Refuses an id of another account. */
export async function describeComputerAlarms(
  { store, now }: Pick<Service, 'store' | 'now'>,
  owned: { readonly accountId: string; readonly id: string },
): Promise<ResponseBody<typeof readComputerAlarms>> {
  const [computer, rules, override, tags] = await Promise.all([
    computerOf(store, owned),
    alarmRulesOf(store, owned.accountId),
    alarmOverrideOf(store, owned.id),
    describeTagRules(store, owned.accountId),
  ]);
  if (!computer) throw refuse(readComputerAlarms, 'not_found');
  return {
    ...describeRules(rules),
    tags,
    computer: { ...describeComputer(computer), ...describeOverride(override, now()) },
  };
}

/** Describes the rules of an account’s tags. */
async function describeTagRules(store: Store, accountId: string): Promise<Alarms['tags']> {
  const all = await alarmTagRulesOf(store, accountId);
  return all.map(({ tag, ...rules }) => ({ tag, rules: describeRules(rules) }));
}

const describeComputer = ({ id, name, tags }: Pick<ComputersTable, 'id' | 'name' | 'tags'>) => ({
  id,
  name,
  tags: JSON.parse(tags) as string[],
});

/** Describes what differs for one computer, at a time (ms since the epoch). */
function describeOverride(
  override: Omit<AlarmOverridesTable, 'computer_id' | 'account_id'> | undefined,
  now: number,
): Pick<Alarms['computers'][number], 'rules' | 'muted' | 'muted_until'> {
  const { muted_until, silent_after, ...rules } = override ?? { ...noOwnRules, muted_until: 0 };
  const muted = muted_until > now;
  return {
    rules: silent_after === null ? null : describeRules({ silent_after, ...rules }),
    muted,
    muted_until: muted && muted_until < untilFurtherNotice ? iso(muted_until) : null,
  };
}

/** A warning that an older node left undecided has its default: an alarm. */
const describeRules = ({ silent_after: after, ...rules }: StoredRules): OwnRules => ({
  silent_after_minutes: silenceInMinutes(after),
  ...eachWarning((kind) => rules[kind] !== 0),
});

/** Rules of a request, as they are stored. */
const rulesFrom = ({ silent_after_minutes: after, ...rules }: OwnRules): OwnAlarmRules => ({
  silent_after: after === null ? neverSilent : minutes(after),
  ...eachWarning((kind) => (rules[kind] ? 1 : 0)),
});

/** Sets the rules for all computers of the account. */
export async function changeAlarms(
  trx: StoreTransaction,
  { account, accountId, at: now }: Owner,
  { body }: { readonly body: BodyRead<typeof contract.changeAlarms> },
): Promise<AccountsTable> {
  const former = await alarmRulesOf(trx, accountId);
  const { quiet_hours: quiet } = body;
  const next: AlarmRules = {
    ...rulesFrom(body),
    by_email: body.email ? 1 : 0,
    quiet_from: quiet === undefined ? former.quiet_from : quiet && minuteOfDay(quiet.from),
    quiet_until: quiet === undefined ? former.quiet_until : quiet && minuteOfDay(quiet.until),
  };
  await changeAlarmRules(trx, { accountId, now }, () => setAlarmRules(trx, accountId, next));
  await makeAlarmsOfAccountDue(trx, accountId);
  return account;
}

/** Sets or removes the rules of a tag, and returns those of all tags. Refuses new rules for a tag of no computer. */
export async function changeTagAlarms(
  trx: StoreTransaction,
  { accountId, at: now }: Owner,
  { body: { tag, rules } }: { readonly body: BodyRead<typeof contract.changeTagAlarms> },
): Promise<ResponseBody<typeof contract.changeTagAlarms>> {
  const used = new Set((await computersOf(trx, accountId)).flatMap((computer) => describeComputer(computer).tags));
  if (rules && !used.has(tag)) throw refuse(contract.changeTagAlarms, 'not_found');
  await changeAlarmRules(trx, { accountId, now }, async () => {
    if (rules) await setAlarmTagRule(trx, { accountId, tag, rules: rulesFrom(rules) });
    else await forgetAlarmTagRule(trx, { accountId, tag });
    // Rules of tags that no computer has any more must not pile up.
    for (const known of await alarmTagRulesOf(trx, accountId))
      if (!used.has(known.tag)) await forgetAlarmTagRule(trx, { accountId, tag: known.tag });
  });
  await makeAlarmsOfAccountDue(trx, accountId);
  return { tags: await describeTagRules(trx, accountId) };
}

interface ComputerChange {
  readonly params: { readonly id: string };
  readonly body: BodyRead<typeof contract.changeComputerAlarms>;
}

/** Sets or removes a computer's own rules, or mutes it; absent fields stay. Refuses an id of another account. */
export async function changeComputerAlarms(
  trx: StoreTransaction,
  { accountId, at: now }: Owner,
  { params: { id }, body }: ComputerChange,
): Promise<ResponseBody<typeof contract.changeComputerAlarms>> {
  const computer = await computerOf(trx, { id, accountId });
  if (!computer) throw refuse(contract.changeComputerAlarms, 'not_found');
  const former = await alarmOverrideOf(trx, id);
  const { muted_until: mutedUntil, ...formerRules } = former ?? { ...noOwnRules, muted_until: 0 };
  const ownRules = body.rules ? rulesFrom(body.rules) : noOwnRules;
  const override = {
    ...(body.rules === undefined ? formerRules : ownRules),
    muted_until: body.mute === undefined ? mutedUntil : muteUntil(body.mute, now),
  };
  await changeAlarmRules(trx, { accountId, now }, () =>
    setAlarmOverride(trx, { computer_id: id, account_id: accountId, ...override }),
  );
  await makeAlarmsDue(trx, id);
  return { ...describeComputer(computer), ...describeOverride(override, now) };
}

const maxPauses = 50;

/** Adds a time without alarms, and returns all of them. */
export async function addPause(
  trx: StoreTransaction,
  { accountId, at: now }: Owner,
  { body }: { readonly body: BodyRead<typeof contract.addPause> },
): Promise<PausesResponse> {
  const known = await currentPauses(trx, accountId, now);
  if (known.length >= maxPauses) throw refuse(contract.addPause, 'alarm_limit_reached', { limit: maxPauses });
  return keepPauses(trx, { accountId, now, pauses: [...known, { ...body, id: randomUUID() }] });
}

interface PauseChange {
  readonly params: { readonly id: string };
  readonly body: BodyRead<typeof contract.changePause>;
}

/** Changes a time without alarms, and returns all of them. */
export async function changePause(
  trx: StoreTransaction,
  { accountId, at: now }: Owner,
  { params: { id }, body }: PauseChange,
): Promise<PausesResponse> {
  const known = await currentPauses(trx, accountId, now);
  if (!known.some((pause) => pause.id === id)) throw refuse(contract.changePause, 'not_found');
  const pauses = known.map((pause) => (pause.id === id ? { ...body, id } : pause));
  return keepPauses(trx, { accountId, now, pauses });
}

/** Removes a time without alarms, and returns the others. */
export async function removePause(
  trx: StoreTransaction,
  { accountId, at: now }: Owner,
  { params: { id } }: Pick<PauseChange, 'params'>,
): Promise<PausesResponse> {
  const known = await currentPauses(trx, accountId, now);
  if (!known.some((pause) => pause.id === id)) throw refuse(contract.removePause, 'not_found');
  return keepPauses(trx, { accountId, now, pauses: known.filter((pause) => pause.id !== id) });
}

type PausesResponse = ResponseBody<typeof contract.removePause>;

/** Without those that are over for good. */
async function currentPauses(trx: StoreTransaction, accountId: string, now: number): Promise<readonly Pause[]> {
  const { pauses } = await alarmPlanOf(trx, accountId);
  return pauses.filter((pause) => nextOccurrences(pause, now).length > 0);
}

interface KeptPauses {
  readonly accountId: string;
  readonly now: number;
  readonly pauses: readonly Pause[];
}

async function keepPauses(trx: StoreTransaction, { accountId, now, pauses }: KeptPauses): Promise<PausesResponse> {
  await setPauses(trx, accountId, pauses);
  await makeAlarmsOfAccountDue(trx, accountId);
  return { pauses: describePauses(pauses, now) };
}

const describePauses = (pauses: readonly Pause[], now: number): Alarms['pauses'] =>
  pauses.map((pause) => ({
    ...{ days_off: [], ...pause },
    next: nextOccurrences(pause, now).map(({ from, until }) => ({ from: iso(from), until: iso(until) })),
  }));

function muteUntil(mute: number | typeof contract.furtherNotice | null, now: number): number {
  if (mute === null) return 0;
  return mute === contract.furtherNotice ? untilFurtherNotice : now + minutes(mute);
}

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
  if (counted.state === 'refused') throw tooMuch(contract.testAlarm, 'too_many_requests', counted.freeAt - now());
  const email = await store.transaction().execute(async (trx) => {
    const at = now();
    const account = await lockSignedInAccount(trx, { endpoint: contract.testAlarm, accountId, sessionId, now: at });
    await notify(trx, { account_id: accountId, at, kind: 'alarm_test', name: '' });
    const { by_email: byEmail } = await alarmRulesOf(trx, accountId);
    if (byEmail === 0 || account.email_proven_at === null) return false;
    await enqueueEmail(trx, { notice: 'alarm_test', params: { when: at }, account, at });
    return true;
  });
  service.outbox.wake();
  return { email };
}
