import { DatabaseSync } from 'node:sqlite';
import { seconds } from '../../contract/units.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import { freshDatabase, type TestDatabase } from './databases.ts';
import { openProxy } from './postgres-proxy.ts';

interface Outage {
  readonly database: TestDatabase;
  begin(): void;
  end(): void;
}

/** Databases that stop responding for a while. */
export const outages = {
  async sqlite(): Promise<Outage> {
    const database = await freshDatabase('sqlite');
    let holder: DatabaseSync | undefined;
    return {
      database,
      begin() {
        holder = new DatabaseSync(databaseFile(database.dataDir), { timeout: seconds(30) });
        holder.exec('begin immediate');
      },
      end: () => holder?.close(),
    };
  },
  async postgres(): Promise<Outage> {
    const { dataDir, databaseUrl = '' } = await freshDatabase('postgres');
    const proxy = await openProxy(databaseUrl);
    return { database: { dataDir, databaseUrl: proxy.url }, begin: proxy.hold, end: proxy.release };
  },
} as const;
