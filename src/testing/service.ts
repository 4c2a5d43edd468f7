import { join } from 'node:path';
import type { Inbox } from '../development-inbox/inbox.ts';
import { type Outbox, startOutbox } from '../outbox/deliver.ts';
import { openApp } from '../server/app.ts';
import { keepAssets } from '../server/assets.ts';
import { type Config, pageSettings, readConfig } from '../server/config.ts';
import { openKeyring, operatorSecret } from '../server/keyring.ts';
import { openPages, readBuild } from '../server/rendered-pages.ts';
import { openSenders } from '../server/senders.ts';
import { openStore, type Store } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');
/** Pages depend on the build and the settings alone, so whoever opens a service shares their rendering. */
const renderings = join(dist, 'test');

/** One node of the service on a port of its own; for tests and drills, so it knows neither. */
export interface Service {
  readonly url: string;
  readonly store: Store;
  readonly config: Config;
  readonly outbox: Outbox;
  readonly inbox: Inbox | undefined;
  now(): number;
  close(): Promise<void>;
}

interface Opened {
  readonly database: { readonly dataDir: string; readonly databaseUrl?: string | undefined };
  /** As an operator writes them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds by which the service's clock goes before the real one; may grow. */
  readonly clock: { readonly offset: number };
}

export async function openService({ database, settings, clock }: Opened): Promise<Service> {
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
    PHONE_CONFIRMATION: 'off',
    ...settings,
  });
  await migrate(database);
  const store = openStore(database);
  const keyring = await openKeyring(store, { secret: operatorSecret(config), now: now() });
  const { mail, calls, inbox } = openSenders(config, now);
  const build = readBuild(dist);
  const pages = await openPages({
    dist,
    dataDir: renderings,
    settings: pageSettings(config, { phoneVoice: calls.speaks }),
  });
  const outbox = startOutbox({ store, now, sender: mail, config });
  const assets = keepAssets({ dist, dataDir: database.dataDir, build: build.id });
  const app = await openApp({ config, store, keyring, outbox, calls, inbox, pages, build, assets, now });
  const url = await app.listen({ host: '127.0.0.1', port: config.PORT });
  let closed = false;
  return {
    url,
    store,
    config,
    outbox,
    inbox,
    now,
    async close() {
      if (closed) return;
      closed = true;
      await app.close();
      await outbox.stop();
      await store.destroy();
    },
  };
}
