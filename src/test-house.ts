import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openApp } from './app.ts';
import { keepAssets } from './assets.ts';
import { type Config, pageSettings, readConfig } from './config.ts';
import { openKeyring, operatorSecret } from './keyring.ts';
import { startOutbox } from './outbox/deliver.ts';
import { developmentInboxSender, type InboxMessage, openInbox } from './outbox/senders/development-inbox.ts';
import { openPages, readBuild } from './rendered-pages.ts';
import { type Engine, openStore, type Store } from './store/database.ts';
import { migrate } from './store/migrate.ts';
import { freshDatabase, type TestDatabase } from './store/test-databases.ts';
import { type Client, openClient } from './test-client.ts';

/** The whole service on a port of its own, with a clock that a test can move. */
export interface House {
  readonly url: string;
  readonly store: Store;
  readonly config: Config;
  /** Moves the service's clock on, in milliseconds. */
  forward(milliseconds: number): void;
  now(): number;
  /** A browser of its own: cookies, CSRF header, an address. */
  client(options?: { ip?: string }): Client;
  /** The newest mail to an address, as soon as it is there. */
  mailTo(address: string, subject?: RegExp): Promise<InboxMessage>;
  mails(address: string): Promise<InboxMessage[]>;
  /** A second node on the same database. */
  neighbour(): Promise<House>;
  close(): Promise<void>;
}

const open: House[] = [];
afterAll(async () => {
  for (const house of open.splice(0)) await house.close();
});

const dist = join(import.meta.dirname, '..', 'dist');
/** Pages depend on the build and the settings alone, so test files share their rendering. */
const renderings = join(dist, 'test');

/** Opens the service on a new database of an engine, with settings as an operator writes them. */
export async function openHouse(engine: Engine, settings: Record<string, string> = {}): Promise<House> {
  return openOn(await freshDatabase(engine), settings, { offset: 0 });
}

async function openOn(
  database: TestDatabase,
  settings: Record<string, string>,
  clock: { offset: number },
): Promise<House> {
  const now = () => Date.now() + clock.offset;
  const config = readConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PORT: '0',
    PUBLIC_URL: 'https://door.example',
    DATA_DIR: database.dataDir,
    DATABASE_URL: database.databaseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    ACCOUNTS_PER_ADDRESS: '1000',
    ...settings,
  });
  const store = openStore(database);
  await migrate(store);
  const keyring = await openKeyring(store, { secret: operatorSecret(config), now: now() });
  const build = readBuild(dist);
  const pages = await openPages({ dist, dataDir: renderings, settings: pageSettings(config) });
  const inbox = openInbox(database.dataDir);
  const outbox = startOutbox({ store, now, sender: developmentInboxSender(inbox), config });
  const assets = keepAssets({ dist, dataDir: database.dataDir, build: build.id });
  const app = await openApp({ config, store, keyring, outbox, inbox, pages, build, assets, now });
  const url = await app.listen({ host: '127.0.0.1', port: config.PORT });

  const mails = async (address: string) => (await inbox.list()).filter((mail) => mail.to === address);
  let closed = false;
  const house: House = {
    url,
    store,
    config,
    now,
    forward: (milliseconds) => {
      clock.offset += milliseconds;
    },
    client: (options) => openClient(url, options),
    mails,
    async mailTo(address, subject = /./) {
      const deadline = performance.now() + 10_000;
      while (performance.now() < deadline) {
        const found = (await mails(address)).find((mail) => subject.test(mail.subject));
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`no mail to ${address} came`);
    },
    neighbour: () => openOn(database, settings, clock),
    async close() {
      if (closed) return;
      closed = true;
      await app.close();
      await outbox.stop();
      await store.destroy();
    },
  };
  open.push(house);
  return house;
}
