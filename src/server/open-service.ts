import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { openFairGate } from '../access/fair-gate.ts';
import { type FairScheduler, openFairScheduler } from '../access/fair-scheduler.ts';
import { amrOfSignIns } from '../access/methods.ts';
import { openProofOfWork } from '../access/proof-of-work.ts';
import type { SiteSettings } from '../contract/settings.ts';
import { startTelegramLinks } from '../devices/alarms/channels/telegram.ts';
import { startAlarmMessages } from '../devices/alarms/incidents/deliver.ts';
import { openDraining } from '../http/incoming/connections.ts';
import { openSourcesSeen } from '../http/incoming/visitor.ts';
import { readRedirectRules } from '../http/pages/redirect-rules.ts';
import { openRefusalMemory } from '../http/rate-limits/rate-limiter.ts';
import { openCookies } from '../http/session/cookies.ts';
import { openMetrics } from '../http/telemetry/metrics.ts';
import { notifyOfLogouts } from '../journeys/openid/logout/logout-worker.ts';
import { openMessengers } from '../messengers/messengers.ts';
import { openBounceHandler } from '../outbox/bounces/bounce-handler.ts';
import type { Download } from '../outbox/bounces/relays/ses.ts';
import { download, openRelays } from '../outbox/bounces/relays.ts';
import type { DeliveryAttempt } from '../outbox/delivery/delivery-attempt.ts';
import { startOutbox } from '../outbox/delivery/outbox-worker.ts';
import { callTexts } from '../phone-calls/call-texts.ts';
import { type HashCost, openPasswords } from '../security/passwords.ts';
import { writeReturnToken } from '../security/tokens.ts';
import { openRotations } from '../store/access/sessions.ts';
import { openClock } from '../store/clock.ts';
import { openStore } from '../store/database.ts';
import { openCounters } from '../store/operators/statistics.ts';
import { reportTo } from '../store/postgres/timeline.ts';
import { databaseBudget } from '../store/time-budget.ts';
import { readReceivers } from '../webhooks/receivers.ts';
import { startWebhooks } from '../webhooks/webhook-worker.ts';
import { openExaminations } from './doctor/examine.ts';
import { openGeoIp } from './geoip.ts';
import { ensurePepper, openKeyring } from './keys/keyring.ts';
import { ensureSecret, openSecrets } from './keys/stored-keys.ts';
import { logOutput } from './log-output.ts';
import { keepAssets, openPages, readBuild } from './pages/rendered-pages.ts';
import { combineListeners } from './process.ts';
import { openRateLimiters } from './rate-limits.ts';
import { openSenders } from './senders.ts';
import type { Service } from './service.ts';
import { type Config, pageSettings, settingsInForce } from './settings/config.ts';
import { openTracing, recordStatement, traced, traceTransactions } from './tracing.ts';
import { readVersion } from './version.ts';
import { waitForDatabase } from './wait-for-database.ts';
import { accountParts } from './wings.ts';

interface ServiceOptions {
  readonly config: Config;
  /** This machine's own clock. */
  readonly wallClock?: () => number;
  /** Milliseconds by which a test runs ahead of real time. */
  readonly ahead?: () => number;
  /** The longest time (ms) that a caller waits for a statement or a transaction. */
  readonly timeBudget?: number;
  /** Decides when requests begin. */
  readonly scheduler?: FairScheduler;
  /** Downloads the certificates of relays. */
  readonly fetchText?: Download;
  /** The full cost unless given. */
  readonly hashCost?: HashCost | undefined;
  /** Opens the site that browsers get: the build in `dist`, or in `npm run dev` the sources. */
  readonly openSite?: ((settings: SiteSettings) => Promise<Site>) | undefined;
}

type Site = Pick<Service, 'pages' | 'build' | 'assets'>;

export const dist = join(import.meta.dirname, '..', '..', 'dist');

/** Opens the database, keys, senders and pages of the settings, and starts the outbox. Does not listen yet. */
export async function openService({
  config,
  wallClock = Date.now,
  ahead = () => 0,
  timeBudget = databaseBudget,
  scheduler = openFairScheduler(),
  fetchText = download,
  hashCost,
  openSite,
}: ServiceOptions): Promise<Service> {
  const database = { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL, poolSize: config.DATABASE_POOL };
  const redirectRules = readRedirectRules(config.REDIRECT_RULES, config.PUBLIC_URL);
  const geoip = await openGeoIp(config.PLACES_FILE);
  const log = pino({ level: config.LOG_LEVEL, base: null }, logOutput);
  log.info(readVersion(), 'starting: opening the database');
  log.info({ migrations: await waitForDatabase(database) }, 'the database is open');
  const metrics = config.METRICS_PORT === undefined ? undefined : openMetrics(amrOfSignIns());
  const tracing = await openTracing(config, log);
  const store = openStore(database, {
    timeBudget,
    onOutdated: reportTo(log),
    onDamage: (error) => log.error({ error }, 'the database file is damaged: restore a backup'),
    onStatement: combineListeners(metrics?.statement, tracing && recordStatement(tracing)),
  });
  if (tracing) traceTransactions(store, tracing);
  const clock = await openClock(store, { wallClock, log });
  const now = () => clock.now() + ahead();
  await ensureSecret(store, { config, now: now() });
  const secrets = openSecrets(config);
  const keyring = await openKeyring(store, { config, now, secrets, log });
  const passwords = openPasswords(config.PASSWORD_PEPPER, hashCost);
  await ensurePepper(store, { secrets, passwords, now: now() });
  const { mail, calls, inbox } = openSenders(config, now, {
    onCallAttempt: metrics?.call,
  });
  const counters = openCounters(store, now);
  const countEmail = ({ outcome }: DeliveryAttempt) => {
    if (outcome === 'sent' || outcome === 'failed') counters.count('emails', outcome);
  };
  // Once for each email: not while delivery attempts continue, nor when a recipient calls it spam.
  const countBounce = ({ kind }: { readonly kind: string }) => {
    if (kind === 'no_such_address' || kind === 'refused') counters.count('emails', 'returned');
  };
  const site = await (openSite ?? ((settings) => builtSite(settings, { dataDir: config.DATA_DIR, log })))(
    pageSettings(config, calls),
  );
  const outbox = startOutbox({
    store,
    now,
    sender: mail,
    secrets,
    config,
    log,
    returnTokenOf: (emailId) => writeReturnToken(keyring.returnTokens[0] as Buffer, emailId),
    onGivenUp: () => counters.count('emails', 'failed'),
    onAttempt: countEmail,
  });
  const webhooks = startWebhooks({ store, now, log, secrets }, readReceivers(config.WEBHOOKS_FILE));
  const bounces = openBounceHandler({
    store,
    now,
    log,
    count: combineListeners(countBounce, metrics?.returned),
  });
  const logouts = notifyOfLogouts({ store, now, keyring, config, log });
  const gate = openFairGate();
  const deviceWork: { stop(): Promise<void> }[] = [];
  const service: Service = {
    config,
    store,
    settings: settingsInForce(config),
    examined: openExaminations(config, now),
    parts: accountParts,
    timeBudget,
    keyring,
    cookies: openCookies(config.PUBLIC_URL),
    passwords,
    secrets,
    gate,
    scheduler,
    lookups: openFairGate({ inside: 4 }),
    // All computers of an account may send at the same time, such as after an outage.
    recordBatches: openFairGate({ inside: 2, perSource: 256 }),
    // All users of an office share an address.
    openIdRequests: openFairGate({ inside: 4, perSource: 256 }),
    proofOfWork: openProofOfWork({
      store,
      keys: () => keyring.proofsOfWork,
      now,
      waiting: () => scheduler.state().proven + gate.state().waiting.proven,
    }),
    rotate: openRotations(store),
    outbox,
    webhooks,
    logouts,
    bounces,
    relays: openRelays(config, fetchText),
    draining: openDraining(),
    sources: openSourcesSeen(config),
    counters,
    metrics,
    tracing,
    calls,
    messengers: openMessengers({ config, keyring, now }),
    geoip,
    callTexts: callTexts({
      product: config.PRODUCT_NAME,
      publicUrl: config.PUBLIC_URL,
      senders: config.SMS_SENDERS,
    }),
    inbox,
    ...site,
    redirectRules,
    ...openRateLimiters(config, now),
    recoveryRefusals: openRefusalMemory(now),
    codeRefusals: openRefusalMemory(now),
    now,
    async close() {
      clock.stop();
      keyring.stop();
      await Promise.all([outbox.stop(), webhooks.stop(), logouts.stop(), ...deviceWork.map((one) => one.stop())]);
      await store.destroy();
      await tracing?.stop();
    },
  };
  if (config.DEVICES === 'on') {
    deviceWork.push(startAlarmMessages(service, log));
    if (service.messengers.telegram) deviceWork.push(startTelegramLinks(service, log));
  }
  return tracing ? { ...service, ...traced(service, tracing) } : service;
}

async function builtSite(settings: SiteSettings, { dataDir, log }: { dataDir: string; log: Logger }): Promise<Site> {
  const build = readBuild(dist);
  const onRender = () => log.info('rendering pages, which `vestibule prepare` could have done before the restart');
  const pages = await openPages({ dist, dataDir, settings, onRender });
  return { build, pages, assets: keepAssets({ dist, dataDir, build: build.id }) };
}
