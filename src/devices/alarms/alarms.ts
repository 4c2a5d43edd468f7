import { randomUUID } from 'node:crypto';
import type { BodyRead, ResponseBody } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/failures.ts';
import { isKnownTimeZone } from '../../contract/fields/time.ts';
import { iso, minutes } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { alarmChannels } from '../contract/alarm-channels.ts';
import { decidingFor } from '../contract/alarm-rules.ts';
import { isInScope, type Pause } from '../contract/pauses.ts';
import { channelsOf } from '../store/alarm-messages.ts';
import { alarmPlanOf, setAlarmPlan } from '../store/alarm-plans.ts';
import { makeAlarmsOfAccountDue, muteComputer, untilFurtherNotice } from '../store/alarms-due.ts';
import { type ComputersTable, computerOf, computersOf } from '../store/computers.ts';
import { nextOccurrences } from '../store/pauses.ts';
import type { Alarms } from './alarms.contract.ts';
import * as contract from './alarms.contract.ts';
import { channels } from './channels/channels.ts';
import * as device from './device-alarms.contract.ts';
import { findUsuallyOff } from './usually-off.ts';

/** Describes what an account chose about its alarms. */
export async function describeAlarms(
  { store, now }: Pick<Service, 'store' | 'now'>,
  account: AccountsTable,
): Promise<Alarms> {
  const [computers, plan, chosen] = await Promise.all([
    computersOf(store, account.id),
    alarmPlanOf(store, account.id),
    channelsOf(store, account.id),
  ]);
  // Node may not know a zone any longer that an account has.
  const zone = isKnownTimeZone(account.time_zone) ? account.time_zone : 'UTC';
  return {
    rules: [...plan.rules],
    channels: alarmChannels.filter(
      (name) =>
        name === 'email' ||
        chosen.some(
          ({ channel, target, broken }) =>
            channel === name && broken === null && channels[name].recipient({ account, target }) !== undefined,
        ),
    ),
    email_confirmed: account.email_proven_at !== null,
    quiet_hours: plan.quiet,
    time_zone: zone,
    pauses: describePauses(plan.pauses, now()),
    usually_off: findUsuallyOff(
      computers.filter((computer) => !plan.pauses.some((pause) => isInScope(pause, describeComputer(computer, now())))),
      { now: now(), zone },
    ),
    computers: computers.map((computer) => describeComputer(computer, now())),
  };
}

/** Describes the rules that decide for one computer. Refuses an id of another account. */
export async function describeComputerAlarms(
  { store, now }: Pick<Service, 'store' | 'now'>,
  owned: { readonly accountId: string; readonly id: string },
): Promise<ResponseBody<typeof device.readComputerAlarms>> {
  const [computer, { rules }] = await Promise.all([computerOf(store, owned), alarmPlanOf(store, owned.accountId)]);
  if (!computer) throw refuse(device.readComputerAlarms, 'not_found');
  const described = describeComputer(computer, now());
  return { rules: decidingFor(rules, described), computer: described };
}

type Computer = Pick<ComputersTable, 'id' | 'name' | 'tags' | 'kind' | 'muted_until'>;

const describeComputer = ({ id, name, tags, kind, muted_until: until }: Computer, now: number) => ({
  id,
  name,
  tags: JSON.parse(tags) as string[],
  kind,
  muted: until > now,
  muted_until: until > now && until < untilFurtherNotice ? iso(until) : null,
});

/** Sets the hours in which calm messages wait. */
export async function changeQuietHours(
  trx: StoreTransaction,
  { account, accountId }: Owner,
  { body }: { readonly body: BodyRead<typeof contract.changeQuietHours> },
): Promise<AccountsTable> {
  await setAlarmPlan(trx, accountId, { quiet: body.quiet_hours });
  return account;
}

interface ComputerChange {
  readonly params: { readonly id: string };
  readonly body: BodyRead<typeof device.changeComputerAlarms>;
}

/** Mutes a computer, or ends that. Refuses an id of another account. */
export async function changeComputerAlarms(
  trx: StoreTransaction,
  { accountId, at: now }: Owner,
  { params: { id }, body: { mute } }: ComputerChange,
): Promise<ResponseBody<typeof device.changeComputerAlarms>> {
  const computer = await computerOf(trx, { id, accountId });
  if (!computer) throw refuse(device.changeComputerAlarms, 'not_found');
  const until = muteUntil(mute, now);
  await muteComputer(trx, { id, until });
  return describeComputer({ ...computer, muted_until: until }, now);
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
  await setAlarmPlan(trx, accountId, { pauses });
  await makeAlarmsOfAccountDue(trx, accountId);
  return { pauses: describePauses(pauses, now) };
}

const describePauses = (pauses: readonly Pause[], now: number): Alarms['pauses'] =>
  pauses.map((pause) => ({
    ...{ days_off: [], ...pause },
    next: nextOccurrences(pause, now).map(({ from, until }) => ({ from: iso(from), until: iso(until) })),
  }));

function muteUntil(mute: number | typeof device.furtherNotice | null, now: number): number {
  if (mute === null) return 0;
  return mute === device.furtherNotice ? untilFurtherNotice : now + minutes(mute);
}
