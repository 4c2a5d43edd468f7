import type { StoreTransaction } from '../../store/database.ts';
import { decidingFor, kindOf } from '../contract/alarm-rules.ts';
import { alarmPlanOf } from './alarm-plans.ts';
import { changeMembers, openMembers } from './incident-members.ts';
import { judgeSoon, openIncidentsOf } from './incidents.ts';
import { followMembers } from './notifications.ts';

interface Applied {
  readonly accountId: string;
  readonly at: number;
  /** The only computer whose rules changed, such as by its tags; all unless given. */
  readonly computerId?: string;
}

/**
 * Applies the current rules of an account to what is open: members of incidents follow the rules that decide for them now,
 * and those for which none is left leave. Lock the account's row before.
 */
export async function applyRules(trx: StoreTransaction, { accountId, at, computerId }: Applied): Promise<void> {
  const { rules } = await alarmPlanOf(trx, accountId);
  for (const incident of await openIncidentsOf(trx, accountId)) {
    const { id: incidentId, kind } = incident;
    const members = await openMembers(trx, { incidentId, computerId });
    const now = Map.groupBy(members, (member) => {
      const own = decidingFor(rules, { ...member, tags: JSON.parse(member.tags) as string[] });
      const all = own.filter((rule) => kindOf(rule) === kind && rule.by !== 'none');
      // Which record it was is over, but not whether its rule still exists.
      return (all.find((rule) => rule.id === member.rule) ?? (kind === 'record' ? undefined : all[0]))?.id ?? '';
    });
    for (const [rule, own] of now) {
      const ids = own.filter((member) => rule === '' || member.rule !== rule).map(({ id }) => id);
      await changeMembers(trx, { incidentId, ids }, rule === '' ? { back_at: at } : { rule });
    }
    await followMembers(trx, incident);
    if (members.length > 0) await judgeSoon(trx, { id: incidentId, now: at });
  }
}
