import { Migrator } from 'kysely';
import { type DatabaseSettings, openStore, patient } from './database.ts';
import * as frontDoor from './migrations/0001-front-door.ts';
import * as phoneCalls from './migrations/0002-phone-calls.ts';

/** In order and forward only: a step that was released is never changed. */
const migrations = {
  '0001-front-door': frontDoor,
  '0002-phone-calls': phoneCalls,
};

/** Brings a database to today's tables, over a connection of its own. Nodes that start together wait for the one that does it. */
export async function migrate(database: DatabaseSettings): Promise<void> {
  const store = openStore(database, patient);
  try {
    const migrator = new Migrator({ db: store, provider: { getMigrations: async () => migrations } });
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
  } finally {
    await store.destroy();
  }
}
