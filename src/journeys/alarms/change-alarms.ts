import { holdSignedIn } from '../../access/hold-signed-in.ts';
import { minutes } from '../../contract/durations.ts';
import type { Answered, BodyRead } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/refuse.ts';
import type { Service } from '../../server/service.ts';
import {
  type AlarmRules,
  alarmOverrideOf,
  alarmRulesOf,
  neverSilent,
  setAlarmOverride,
  setAlarmRules,
  untilFurtherNotice,
} from '../../store/computers/alarm-rules.ts';
import { makeAlarmsDue, makeAlarmsOfAccountDue, markSilenceAsReported } from '../../store/computers/alarms-due.ts';
import { computerOf } from '../../store/computers/computers.ts';
import * as contract from './alarms.contract.ts';
import { describeAlarms, describeOverride, rulesFrom } from './alarms.ts';
import { minuteOfDay } from './quiet-hours.ts';

interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Sets the rules for all computers of the account, and returns them. */
export async function changeAlarms(
  service: Service,
  { accountId, sessionId, body }: SignedIn & { readonly body: BodyRead<typeof contract.changeAlarms> },
): Promise<Answered<typeof contract.changeAlarms>> {
  const now = service.now();
  const account = await service.store.transaction().execute(async (trx) => {
    const owner = await holdSignedIn(trx, { endpoint: contract.changeAlarms, accountId, sessionId, now });
    const former = await alarmRulesOf(trx, accountId);
    const { quiet_hours: quiet } = body;
    const next: AlarmRules = {
      ...rulesFrom(body),
      by_email: body.email ? 1 : 0,
      quiet_from: quiet === undefined ? former.quiet_from : quiet && minuteOfDay(quiet.from),
      quiet_until: quiet === undefined ? former.quiet_until : quiet && minuteOfDay(quiet.until),
    };
    await setAlarmRules(trx, accountId, next);
    if (isTurnedOn(former.silent_after, next.silent_after))
      await markSilenceAsReported(trx, { accountId, before: now - next.silent_after });
    await makeAlarmsOfAccountDue(trx, accountId);
    return owner;
  });
  return describeAlarms(service, account);
}

interface ComputerChange extends SignedIn {
  readonly id: string;
  readonly body: BodyRead<typeof contract.changeComputerAlarms>;
}

/** Sets or removes a computer's own rules, or mutes it; absent fields stay. Refuses an id of another account. */
export async function changeComputerAlarms(
  service: Service,
  { accountId, sessionId, id, body }: ComputerChange,
): Promise<Answered<typeof contract.changeComputerAlarms>> {
  const endpoint = contract.changeComputerAlarms;
  const now = service.now();
  return service.store.transaction().execute(async (trx) => {
    await holdSignedIn(trx, { endpoint, accountId, sessionId, now });
    const computer = await computerOf(trx, { id, accountId });
    if (!computer) throw refuse(endpoint, 'not_found');
    const { silent_after: usually } = await alarmRulesOf(trx, accountId);
    const former = await alarmOverrideOf(trx, id);
    const { muted_until: mutedUntil, ...formerRules } = former ?? { ...accountRules, muted_until: 0 };
    const ownRules = body.rules ? rulesFrom(body.rules) : accountRules;
    const override = {
      ...(body.rules === undefined ? formerRules : ownRules),
      muted_until: body.mute === undefined ? mutedUntil : muteUntil(body.mute, now),
    };
    await setAlarmOverride(trx, { computer_id: id, account_id: accountId, ...override });
    const silentAfter = override.silent_after ?? usually;
    if (isTurnedOn(formerRules.silent_after ?? usually, silentAfter))
      await markSilenceAsReported(trx, { accountId, id, before: now - silentAfter });
    await makeAlarmsDue(trx, id);
    return { id, name: computer.name, ...describeOverride(override, now) };
  });
}

/** No rules of its own. */
const accountRules = { silent_after: null, disk_low: null, battery_low: null };

const isTurnedOn = (former: number, next: number): boolean => former >= neverSilent && next < neverSilent;

function muteUntil(mute: number | typeof contract.furtherNotice | null, now: number): number {
  if (mute === null) return 0;
  return mute === contract.furtherNotice ? untilFurtherNotice : now + minutes(mute);
}
