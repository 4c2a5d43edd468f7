import type { FairGate } from '../access/fair-gate.ts';
import type { FairScheduler } from '../access/fair-scheduler.ts';
import type { Inbox } from '../development-inbox/inbox.ts';
import type { SourcesSeen } from '../http/incoming/visitor.ts';
import type { Page } from '../http/pages/page.ts';
import type { Outbox } from '../outbox/delivery/outbox-worker.ts';
import { openApp } from '../server/app.ts';
import { openService } from '../server/open-service.ts';
import { type Config, readConfig } from '../server/settings/config.ts';
import type { Store } from '../store/database.ts';
import type { Counters } from '../store/operators/statistics.ts';
import { databaseBudget } from '../store/time-budget.ts';
import { openSharedSite } from './shared-pages.ts';

/** One node of the service on its own port. Tests and drills share it, so it depends on neither. */
export interface TestNode {
  readonly url: string;
  readonly store: Store;
  readonly config: Config;
  readonly outbox: Outbox;
  readonly inbox: Inbox | undefined;
  readonly pages: readonly Page[];
  readonly sources: SourcesSeen;
  readonly gate: Pick<FairGate, 'state'>;
  readonly openIdRequests: Pick<FairGate, 'state'>;
  readonly counters: Counters;
  now(): number;
  close(): Promise<void>;
}

export interface TestNodeOptions {
  readonly database: { readonly dataDir: string; readonly databaseUrl?: string | undefined };
  /** Settings as an operator writes them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds by which the service's clock is ahead of the real one; may grow. */
  readonly clock: { readonly offset: number };
  /** Milliseconds by which the machine's own clock is wrong. */
  readonly skew?: number;
  /** How long (ms) the database may keep a caller waiting; as in production unless given. */
  readonly timeBudget?: number;
  /** Decides when requests begin; as in production unless given. */
  readonly scheduler?: FairScheduler;
  /** Hashes passwords at full cost: for what depends on the time that it takes. */
  readonly fullHashes?: boolean;
  /** Renders pages of these settings. Other nodes share pages of common settings, at any origin. */
  readonly ownPages?: boolean;
  /** Fetches relays' certificates; over the network unless given. */
  readonly fetchText?: (url: string) => Promise<string>;
}

/** Most tests sign in, and few are about hashing. */
const cheapHashes = { memoryCost: 64, timeCost: 1 };

export async function openTestNode({
  database,
  settings,
  clock,
  skew = 0,
  timeBudget = databaseBudget,
  scheduler,
  fetchText,
  fullHashes = false,
  ownPages = false,
}: TestNodeOptions): Promise<TestNode> {
  const config = readConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PORT: '0',
    PUBLIC_URL: 'https://door.example',
    DATA_DIR: database.dataDir,
    DATABASE_URL: database.databaseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    ACCOUNTS_PER_ADDRESS: '1000',
    // Tests call one made-up range from a few networks.
    CALLS_PER_PREFIX: '1000000',
    CALLS_PER_COUNTRY: '1000000',
    CALLS_PER_NETWORK: '1000000',
    PHONE_CONFIRMATION: 'off',
    ...settings,
  });
  const service = await openService({
    config,
    wallClock: () => Date.now() + skew,
    ahead: () => clock.offset,
    openSite: (settings) => openSharedSite(settings, { ownPages }),
    timeBudget,
    hashCost: fullHashes ? undefined : cheapHashes,
    ...(scheduler && { scheduler }),
    ...(fetchText && { fetchText }),
  });
  const app = await openApp(service);
  const url = await app.listen({ host: '127.0.0.1', port: config.PORT });
  let closed = false;
  return {
    url,
    store: service.store,
    config,
    outbox: service.outbox,
    inbox: service.inbox,
    pages: service.pages,
    sources: service.sources,
    gate: service.gate,
    openIdRequests: service.openIdRequests,
    counters: service.counters,
    now: service.now,
    async close() {
      if (closed) return;
      closed = true;
      await app.close();
      await service.close();
    },
  };
}
