import { passkeysOf } from '../access/passkeys/passkeys.ts';
import { groupsOf } from '../applications/account-groups.ts';
import { connectionsOfAccount } from '../applications/connected-clients.ts';
import { alarmOverridesOf } from '../computers/alarm-rules.ts';
import { alarmTagRulesOf } from '../computers/alarm-tag-rules.ts';
import { computersOf } from '../computers/computers.ts';
import { recordsOf } from '../computers/records.ts';
import type { Store } from '../database.ts';

/** `recordsOf` returns more, page by page: all records together would need too much memory. */
const recordsAtOnce = 10_000;
const connectionsAtOnce = 10_000;

/** All data of an account, by table, the oldest first. */
export async function readAccountData(store: Store, accountId: string) {
  const own = 'account_id';
  return {
    consents: await store.selectFrom('consents').selectAll().where(own, '=', accountId).orderBy('id').execute(),
    sessions: await store.selectFrom('sessions').selectAll().where(own, '=', accountId).orderBy('created_at').execute(),
    devices: await store.selectFrom('devices').selectAll().where(own, '=', accountId).orderBy('created_at').execute(),
    passkeys: await passkeysOf(store, accountId),
    activity: await store.selectFrom('activity').selectAll().where(own, '=', accountId).orderBy('id').execute(),
    computers: await computersOf(store, accountId),
    records: (await recordsOf(store, { accountId, limit: recordsAtOnce })).reverse(),
    notifications: await store
      .selectFrom('notifications')
      .selectAll()
      .where(own, '=', accountId)
      .orderBy('id')
      .execute(),
    alarm_rules: await store.selectFrom('alarm_rules').selectAll().where(own, '=', accountId).executeTakeFirst(),
    alarm_overrides: await alarmOverridesOf(store, accountId),
    alarm_tag_rules: await alarmTagRulesOf(store, accountId),
    groups: await groupsOf(store, accountId),
    connected_clients: await connectionsOfAccount(store, { accountId, most: connectionsAtOnce }),
    outbox: await store.selectFrom('outbox').selectAll().where(own, '=', accountId).orderBy('id').execute(),
  };
}
