import type { FastifyInstance } from 'fastify';
import { applyDueRemovals } from '../access/second-step/removal.ts';
import { minutes, seconds } from '../contract/durations.ts';
import { SettingsError } from '../contract/settings-error.ts';
import { limitConnections } from '../http/incoming/connections.ts';
import { deleteDueAccounts } from '../journeys/account/leaving/delete-account.ts';
import { evaluateAlarms } from '../journeys/alarms/evaluation/evaluate-alarms.ts';
import { settleRefunds } from '../journeys/confirm-phone/calls/delivery-status.ts';
import { openApp } from './app.ts';
import { backUpRegularly } from './backups.ts';
import { tell } from './log-output.ts';
import { serveMetrics } from './metrics/serve-metrics.ts';
import { openService } from './open-service.ts';
import { asDiskError, refuseForeignFiles } from './process/data-folder.ts';
import { lockFolder } from './process/folder-lock.ts';
import { choosePort, listen } from './process/listen.ts';
import { mostConnections } from './process/open-files.ts';
import { lowerHashPriority } from './process/thread-priorities.ts';
import { cleanUpRegularly } from './regular-clean-up.ts';
import type { Service } from './service.ts';
import { loadClientsFile } from './settings/clients-file.ts';
import { type Config, readConfig } from './settings/config.ts';
import { configWarnings } from './settings/config-warnings.ts';
import { readEnvironment } from './settings/environment.ts';
import { hasFiles, rereadFiles } from './settings/reread-files.ts';
import { stopNode } from './shutdown/graceful-shutdown.ts';

async function start(): Promise<void> {
  const config = readConfig(await choosePort(readEnvironment()));
  refuseForeignFiles(config);
  const unlock = lockFolder(config);
  const service = await openService({ config });
  if (config.CLIENTS_FILE) await loadClientsFile({ ...service, file: config.CLIENTS_FILE, now: service.now() });
  const app = await openApp(service);
  const { metrics: measures } = service;
  const backups = backUpRegularly({ config, log: app.log });
  const cleanUp = cleanUpRegularly({ ...service, log: app.log });
  const metrics =
    measures &&
    (await serveMetrics({ ...service, metrics: measures, cleanUp, backups, port: config.METRICS_PORT ?? 0 }));
  const stopDue = runDueRegularly(app, service);
  const stopAlarms = evaluateAlarmsRegularly(app, service);
  for (const warning of configWarnings(config)) app.log.warn(warning);

  const stop = async (signal: string) => {
    app.log.info(`${signal}: finishing requests and emails in progress`);
    cleanUp.stop();
    stopDue();
    stopAlarms();
    backups?.stop();
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

function runDueRegularly(app: FastifyInstance, service: Service): () => void {
  const { config } = service;
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
  const timers = [
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
  tell(`\n  ${config.PRODUCT_NAME} is ready: ${config.PUBLIC_URL}/\n`);
  if (config.developmentInbox) tell(`  Emails and calls arrive at ${config.PUBLIC_URL}/dev/inbox/\n\n`);
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
