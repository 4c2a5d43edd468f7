import { days } from '../../contract/units.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** The processes that work for this service. */
interface NodesTable {
  /** Random: each start is another node. */
  id: string;
  /** The name of its machine. */
  name: string;
  version: string;
  started_at: number;
  seen_at: number;
}

declare module '../database.ts' {
  interface Database {
    nodes: NodesTable;
  }
}

/** How long a node is listed after it was last seen. */
export const nodeListed = days(1);

/** Records that a node works. */
export const markNodeSeen = (store: Store, node: NodesTable) =>
  store
    .insertInto('nodes')
    .values(node)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: node.seen_at }))
    .execute();

/** Forgets a node that stops. */
export const forgetNode = (store: Store, id: string) => store.deleteFrom('nodes').where('id', '=', id).execute();

/** The nodes that clean-up has not forgotten yet, the oldest first. */
export const listNodes = (store: Store) =>
  store.selectFrom('nodes').selectAll().orderBy('started_at').orderBy('id').execute();

/** The settings of the last start of any node, sealed. */
interface SettingsSeenTable {
  id: string;
  settings: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    settings_seen: SettingsSeenTable;
  }
}

/** There is one row. */
const id = 'all';

/** The settings that were seen last, sealed; undefined before the first start. */
export const lastSettings = async (store: Store): Promise<string | undefined> =>
  (await store.selectFrom('settings_seen').select('settings').where('id', '=', id).executeTakeFirst())?.settings;

interface Seen {
  readonly former: string | undefined;
  /** Sealed. */
  readonly settings: string;
  readonly at: number;
}

/** Replaces the settings; false if another node has done it since `former` was read. */
export async function replaceSettings(trx: StoreTransaction, { former, settings, at }: Seen): Promise<boolean> {
  const changed =
    former === undefined
      ? trx
          .insertInto('settings_seen')
          .values({ id, settings, at })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
      : trx
          .updateTable('settings_seen')
          .set({ settings, at })
          .where('id', '=', id)
          .where('settings', '=', former)
          .returning('id');
  return (await changed.executeTakeFirst()) !== undefined;
}
