import type { FastifyInstance } from 'fastify';
import { applyDueRemovals } from '../access/second-step/removal.ts';
import { days, hours, minutes, seconds } from '../contract/durations.ts';
import { SettingsError } from '../contract/settings-error.ts';
import { limitConnections } from '../http/incoming/connections.ts';
import { deleteDueAccounts } from '../journeys/account/leaving/delete-account.ts';
import { evaluateAlarms } from '../journeys/alarms/evaluate-alarms.ts';
import { settleRefunds } from '../journeys/confirm-phone/calls/delivery-status.ts';
import { cleanUp } from '../store/clean-up.ts';
import { databaseFile, emptyLog } from '../store/sqlite/files.ts';
import { openApp } from './app.ts';
import { backUpRegularly } from './backups.ts';
import { loadClientsFile } from './clients-file.ts';
import { type Config, readConfig } from './config.ts';
import { configWarnings } from './config-warnings.ts';
import { asDiskError, refuseForeignFiles } from './data-folder.ts';
import { readEnvironment } from './environment.ts';
import { lockFolder } from './folder-lock.ts';
import { choosePort, listen } from './listen.ts';
import { serveMetrics } from './metrics/serve-metrics.ts';
import { mostConnections } from './open-files.ts';
import { openService } from './open-service.ts';
import { hasFiles, rereadFiles } from './reread-files.ts';
import type { Service } from './service.ts';
import { stopNode } from './shutdown/graceful-shutdown.ts';
import { lowerHashPriority } from './thread-priorities.ts';

async function start(): Promise<void> {
  const config = readConfig(await choosePort(readEnvironment()));
  refuseForeignFiles(config);
  const unlock = lockFolder(config);
  const service = await openService({ config });
  if (config.CLIENTS_FILE) await loadClientsFile({ ...service, file: config.CLIENTS_FILE, now: service.now() });
  const app = await openApp(service);
  const { metrics: measures } = service;
  const backups = backUpRegularly({ config, log: app.log });
  const metrics =
    measures && (await serveMetrics({ ...service, metrics: measures, backups, port: config.METRICS_PORT ?? 0 }));
  const stopCleaning = cleanRegularly(app, service);
  const stopAlarms = evaluateAlarmsRegularly(app, service);
  for (const warning of configWarnings(config)) app.log.warn(warning);

  const stop = async (signal: string) => {
    app.log.info(`${signal}: finishing requests and emails in progress`);
    stopCleaning();
    stopAlarms();
    backups?.stop();
    // mutation: stops-immediately
    await stopNode({ app, service, end: () => metrics?.close() });
    unlock();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  process.on('SIGHUP', () => {
    // Closing a terminal also sends it, which by default kills the process in the middle of its work.
    // On Windows, it is the only cause.
    if (process.platform === 'win32' || process.stdout.isTTY || !hasFiles(config)) void stop('SIGHUP');
    else void rereadFiles(service, app.log);
  });

  limitConnections(app, { most: mostConnections(config) });
  await listen(app, config);
  await lowerHashPriority();
  greet(config);
}

function cleanRegularly(app: FastifyInstance, service: Service): () => void {
  const { store, now, config } = service;
  let isCleaning = false;
  const clean = () => {
    // After a long pause or a flood, one clean-up may take longer than the hour until the next.
    if (isCleaning) return;
    isCleaning = true;
    cleanUp(store, {
      now: now(),
      activityKept: days(config.ACTIVITY_RETENTION_DAYS),
      recordsKept: days(config.RECORDS_RETENTION_DAYS),
    })
      .then(() => {
        if (!config.DATABASE_URL) emptyLog(databaseFile(config.DATA_DIR));
      })
      .catch((error: unknown) => app.log.warn({ err: error }, 'clean-up failed'))
      .finally(() => {
        isCleaning = false;
      });
  };
  const deleteDue = () => {
    deleteDueAccounts(service).catch((error: unknown) =>
      app.log.warn({ err: error }, 'deletion of due accounts failed'),
    );
  };
  const removeDue = () => {
    // While the second step is off, owners have no page on which to stop a removal.
    if (config.SECOND_STEP === 'off') return;
    applyDueRemovals(service).catch((error: unknown) =>
      app.log.warn({ err: error }, 'removal of lost second steps failed'),
    );
  };
  const settle = () => {
    settleRefunds(service).catch((error: unknown) => app.log.warn({ err: error }, 'refunds of messages not settled'));
  };
  // Also soon after the start, so that a node that restarts often still cleans up.
  const timers = [
    setTimeout(clean, minutes(1)).unref(),
    setInterval(clean, hours(1)).unref(),
    setInterval(deleteDue, minutes(1)).unref(),
    setInterval(removeDue, minutes(1)).unref(),
    setInterval(settle, minutes(1)).unref(),
  ];
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Far below the gap that counts as an outage of ours (`longestGap` in `store/computers/alarm-watch.ts`). */
const evaluateEvery = seconds(30);

function evaluateAlarmsRegularly(app: FastifyInstance, service: Service): () => void {
  let isEvaluating = false;
  let wasUnreachable = false;
  const timer = setInterval(() => {
    if (isEvaluating) return;
    isEvaluating = true;
    evaluateAlarms(service)
      .then(({ isUnreachable }) => {
        if (isUnreachable && !wasUnreachable)
          app.log.warn('no computer reaches the service, so alarms wait until one does');
        wasUnreachable = isUnreachable;
      })
      .catch((error: unknown) => app.log.warn({ err: error }, 'evaluation of alarms failed'))
      .finally(() => {
        isEvaluating = false;
      });
  }, evaluateEvery).unref();
  return () => clearInterval(timer);
}

function greet(config: Config): void {
  process.stdout.write(`\n  ${config.PRODUCT_NAME} is ready: ${config.PUBLIC_URL}/\n`);
  if (config.developmentInbox) process.stdout.write(`  Emails and calls arrive at ${config.PUBLIC_URL}/dev/inbox/\n\n`);
}

function reportAndExit(thrown: Error): void {
  const error = asDiskError(thrown);
  process.stderr.write(
    error instanceof SettingsError
      ? `Vestibule cannot start. Correct these settings:\n${error.message}\n`
      : `${error.stack ?? error}\n`,
  );
  process.exitCode = 1;
  setTimeout(() => process.exit(1), 100).unref();
}

// Before a first start, `bin/serve.mjs` imports the bundle in a process that only compiles it.
if (!process.argv.includes('--compile-only')) await start().catch(reportAndExit);
