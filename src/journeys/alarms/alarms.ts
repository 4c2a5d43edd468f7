import { eachWarning, type Warning } from '../../contract/computers/record-kinds.ts';
import { minutes } from '../../contract/durations.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { iso } from '../../contract/iso-time.ts';
import { refuse } from '../../contract/refuse.ts';
import type { Service } from '../../server/service.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import {
  type AlarmOverridesTable,
  alarmOverrideOf,
  alarmOverridesOf,
  alarmRulesOf,
  neverSilent,
  noOwnRules,
  type OwnAlarmRules,
  silenceInMinutes,
  untilFurtherNotice,
} from '../../store/computers/alarm-rules.ts';
import { alarmTagRulesOf } from '../../store/computers/alarm-tag-rules.ts';
import { type ComputersTable, computerOf, computersOf } from '../../store/computers/computers.ts';
import type { Store } from '../../store/database.ts';
import { type Alarms, type OwnRules, readComputerAlarms } from './alarms.contract.ts';
import { timeOfDay } from './quiet-hours/quiet-hours.ts';

type StoredRules = Pick<OwnAlarmRules, 'silent_after'> & Readonly<Record<Warning, 0 | 1 | null>>;

/** Describes an account's alarm rules and those of its computers. */
export async function describeAlarms(
  { store, now }: Pick<Service, 'store' | 'now'>,
  account: Pick<AccountsTable, 'id' | 'email_proven_at' | 'time_zone'>,
): Promise<Alarms> {
  const { by_email: byEmail, quiet_from: from, quiet_until: until, ...rules } = await alarmRulesOf(store, account.id);
  const [computers, overrides, tags] = await Promise.all([
    computersOf(store, account.id),
    alarmOverridesOf(store, account.id),
    describeTagRules(store, account.id),
  ]);
  const own = new Map(overrides.map((override) => [override.computer_id, override]));
  return {
    ...describeRules(rules),
    tags,
    email: byEmail === 1,
    email_confirmed: account.email_proven_at !== null,
    quiet_hours: from === null || until === null ? null : { from: timeOfDay(from), until: timeOfDay(until) },
    time_zone: account.time_zone ?? 'UTC',
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
export async function describeTagRules(store: Store, accountId: string): Promise<Alarms['tags']> {
  const all = await alarmTagRulesOf(store, accountId);
  return all.map(({ tag, ...rules }) => ({ tag, rules: describeRules(rules) }));
}

export const describeComputer = ({ id, name, tags }: Pick<ComputersTable, 'id' | 'name' | 'tags'>) => ({
  id,
  name,
  tags: JSON.parse(tags) as string[],
});

/** Describes what differs for one computer, at a time (ms since the epoch). */
export function describeOverride(
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
export const rulesFrom = ({ silent_after_minutes: after, ...rules }: OwnRules): OwnAlarmRules => ({
  silent_after: after === null ? neverSilent : minutes(after),
  ...eachWarning((kind) => (rules[kind] ? 1 : 0)),
});
