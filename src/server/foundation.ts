import { join } from 'node:path';
import { pino } from 'pino';
import { type FairGate, openFairGate } from '../access/gate/fair-gate.ts';
import type { SiteSettings } from '../contract/settings.ts';
import type { Inbox } from '../development-inbox/inbox.ts';
import { type Farewell, openFarewell } from '../http/arrival/farewell.ts';
import type { AddressLimit } from '../http/limits/address-limits.ts';
import { type Brake, openBrake } from '../http/limits/brake.ts';
import type { Page } from '../http/page.ts';
import { type RedirectRules, readRedirectRules } from '../http/redirect-rules.ts';
import { type Cookies, cookiesFor } from '../http/session/cookies.ts';
import { openSourcesSeen, type SourcesSeen } from '../http/sources-seen.ts';
import { type Measures, openMeasures } from '../http/telemetry/measures.ts';
import { type Outbox, startOutbox } from '../outbox/delivery/deliver.ts';
import { download } from '../outbox/returned/download.ts';
import type { Relay } from '../outbox/returned/relays/relay.ts';
import type { Download } from '../outbox/returned/relays/sns.ts';
import { openRelays } from '../outbox/returned/relays.ts';
import { openReturns, type Returns } from '../outbox/returned/returns.ts';
import type { Calls } from '../phone-calls/calls.ts';
import { type CallWords, callWords } from '../phone-calls/words.ts';
import { openPasswords, type Passwords } from '../security/passwords.ts';
import { writeReturnToken } from '../security/return-tokens.ts';
import { openRotations, type Rotate } from '../store/access/rotations.ts';
import { databaseBudget } from '../store/budget.ts';
import { openClock } from '../store/clock.ts';
import { openStore, type Store } from '../store/database.ts';
import { reportTo } from '../store/postgres/timeline.ts';
import { keepAssets } from './assets.ts';
import { type Config, pageSettings } from './config.ts';
import { type Keyring, openKeyring } from './keys/keyring.ts';
import { addressLimits } from './limits.ts';
import { openPlaces, type Places } from './places.ts';
import { reachDatabase } from './reach-database.ts';
import { type Build, openPages, readBuild } from './rendered-pages.ts';
import { openSenders } from './senders.ts';
import { toEach } from './to-each.ts';
import { tellCall, tellLetter, tellStatement, traced, traceTransactions } from './tracing/traced.ts';
import { openTracing, type Tracing } from './tracing/tracing.ts';

/** Everything that the service works with. Opened once; whoever decides something is given all of it. */
export interface Service {
  readonly config: Config;
  readonly store: Store;
  /** How long (ms) a request waits for the database, in all that it asks of it. */
  readonly waitsFor: number;
  readonly keyring: Keyring;
  readonly cookies: Cookies;
  readonly passwords: Passwords;
  /** Where a hash waits for its turn. */
  readonly gate: FairGate;
  /** Where an attempt to sign in waits to be looked up: else a flood of them has every connection to the database. */
  readonly lookups: FairGate;
  readonly rotate: Rotate;
  readonly outbox: Outbox;
  /** Where it is told that a letter came back. */
  readonly returns: Returns;
  /** Who tells it of those that they sent for us. */
  readonly relays: readonly Relay[];
  readonly farewell: Farewell;
  readonly sources: SourcesSeen;
  /** Only where somebody may ask for them. */
  readonly measures: Measures | undefined;
  /** Only where there is a collector to tell. */
  readonly tracing: Tracing | undefined;
  readonly calls: Calls;
  readonly words: CallWords;
  /** Where addresses are. */
  readonly places: Places;
  /** Only without a mail server or a call provider. */
  readonly inbox: Inbox | undefined;
  readonly pages: readonly Page[];
  readonly build: Build;
  /** Folders with hashed assets: today's build, and the previous one for tabs that are still open. */
  readonly assets: readonly string[];
  readonly redirectRules: RedirectRules;
  readonly signInFailures: AddressLimit;
  /** By account or known device, right ones too. */
  readonly signInsOfAccount: AddressLimit;
  readonly changesOfAccount: AddressLimit;
  readonly exportsOfAccount: AddressLimit;
  readonly registrationGuesses: AddressLimit;
  readonly newAccounts: AddressLimit;
  readonly recoveries: Brake;
  readonly codes: Brake;
  /** Codes that are none, by the address they come from. */
  readonly enrolmentGuesses: AddressLimit;
  /** By computer. */
  readonly deviceRequests: AddressLimit;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Finishes what is under way and closes the database. */
  close(): Promise<void>;
}

interface Ground {
  readonly config: Config;
  /** This machine's own clock. */
  readonly wallClock?: () => number;
  /** Milliseconds by which a test is ahead of the real time. */
  readonly ahead?: () => number;
  /** How long (ms) a statement or a transaction may keep its caller waiting. */
  readonly waitsFor?: number;
  /** How others' certificates are had. */
  readonly fetchText?: Download;
  /** Where rendered pages and the assets of builds are kept. */
  readonly renderings?: string;
  /** What browsers are given; the build in `dist` unless somebody is working on it. */
  readonly openSite?: (settings: SiteSettings) => Promise<Site>;
}

type Site = Pick<Service, 'pages' | 'build' | 'assets'>;

const dist = join(import.meta.dirname, '..', '..', 'dist');

/** Opens the database, keys, senders and pages that the settings ask for, and starts the outbox. Does not listen yet. */
export async function openService({
  config,
  wallClock = Date.now,
  ahead = () => 0,
  waitsFor = databaseBudget,
  fetchText = download,
  renderings = config.DATA_DIR,
  openSite = (settings) => builtSite(settings, renderings),
}: Ground): Promise<Service> {
  const database = { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL, poolSize: config.DATABASE_POOL };
  const redirectRules = readRedirectRules(config.REDIRECT_RULES, config.PUBLIC_URL);
  const places = await openPlaces(config.PLACES_FILE);
  await reachDatabase(database);
  const log = pino({ level: config.LOG_LEVEL, base: null });
  const measures = config.METRICS_PORT === undefined ? undefined : openMeasures();
  const tracing = await openTracing(config, log);
  const store = openStore(database, {
    waitsFor,
    onOutdated: reportTo(log),
    told: toEach(measures?.statement, tracing && tellStatement(tracing)),
  });
  if (tracing) traceTransactions(store, tracing);
  const clock = await openClock(store, wallClock);
  const now = () => clock.now() + ahead();
  const keyring = await openKeyring(store, { config, now });
  const { mail, calls, inbox } = openSenders(config, now, {
    count: toEach(measures?.call, tracing && tellCall(tracing)),
    inLog: tracing?.inLog,
  });
  const site = await openSite(pageSettings(config, calls));
  const outbox = startOutbox({
    store,
    now,
    sender: mail,
    config,
    returnTokenOf: (letter) => writeReturnToken(keyring.returnTokens[0] as Buffer, letter),
    told: tracing && tellLetter(tracing),
  });
  const returns = openReturns({ store, now, log, count: measures?.returned });
  const service: Service = {
    config,
    store,
    waitsFor,
    keyring,
    cookies: cookiesFor(config.PUBLIC_URL),
    passwords: openPasswords(config.PASSWORD_PEPPER),
    gate: openFairGate(),
    lookups: openFairGate({ inside: 4 }),
    rotate: openRotations(store),
    outbox,
    returns,
    relays: openRelays(config, fetchText),
    farewell: openFarewell(),
    sources: openSourcesSeen(config),
    measures,
    tracing,
    calls,
    places,
    words: callWords({ product: config.PRODUCT_NAME, publicUrl: config.PUBLIC_URL }),
    inbox,
    ...site,
    redirectRules,
    ...addressLimits(config, now),
    recoveries: openBrake(now),
    codes: openBrake(now),
    now,
    async close() {
      clock.stop();
      keyring.stop();
      await outbox.stop();
      await store.destroy();
      await tracing?.stop();
    },
  };
  return tracing ? { ...service, ...traced(service, tracing) } : service;
}

async function builtSite(settings: SiteSettings, dataDir: string): Promise<Site> {
  const build = readBuild(dist);
  const pages = await openPages({ dist, dataDir, settings });
  return { build, pages, assets: keepAssets({ dist, dataDir, build: build.id }) };
}
