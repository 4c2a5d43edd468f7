import { days } from '../../contract/units.ts';
import type { Store } from '../database.ts';

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
