import { Migrator } from 'kysely';
import type { Store } from './database.ts';
import * as frontDoor from './migrations/0001-front-door.ts';

/** In order and forward only: a step that was released is never changed. */
const migrations = {
  '0001-front-door': frontDoor,
};

/** Brings a database to today's tables. Nodes that start together wait for the one that does it. */
export async function migrate(store: Store): Promise<void> {
  const migrator = new Migrator({ db: store, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
