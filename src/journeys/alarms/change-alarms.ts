import { minutes } from '../../contract/durations.ts';
import type { BodyRead, ResponseBody } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/refuse.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import {
  type AlarmRules,
  alarmOverrideOf,
  alarmRulesOf,
  noOwnRules,
  setAlarmOverride,
  setAlarmRules,
  untilFurtherNotice,
} from '../../store/computers/alarm-rules.ts';
import { alarmTagRulesOf, forgetAlarmTagRule, setAlarmTagRule } from '../../store/computers/alarm-tag-rules.ts';
import { changeAlarmRules, makeAlarmsDue, makeAlarmsOfAccountDue } from '../../store/computers/alarms-due.ts';
import { computerOf, computersOf } from '../../store/computers/computers.ts';
import type { StoreTransaction } from '../../store/database.ts';
import * as contract from './alarms.contract.ts';
import { describeComputer, describeOverride, describeTagRules, rulesFrom } from './alarms.ts';
import { minuteOfDay } from './quiet-hours/quiet-hours.ts';

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

function muteUntil(mute: number | typeof contract.furtherNotice | null, now: number): number {
  if (mute === null) return 0;
  return mute === contract.furtherNotice ? untilFurtherNotice : now + minutes(mute);
}
