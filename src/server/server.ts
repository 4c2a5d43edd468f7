import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import { SettingsError } from '../contract/settings.ts';
import { seconds } from '../contract/units.ts';
import { limitConnections } from '../http/incoming/connections.ts';
import { recordSettings } from '../operations/service.ts';
import { readReceivers } from '../webhooks/receivers.ts';
import { openApp } from './app.ts';
import { asDiskError, lockFolder, refuseForeignFiles } from './data-folder.ts';
import { stopNode } from './graceful-shutdown.ts';
import { print } from './log-output.ts';
import { serveMetrics } from './metrics.ts';
import { openService } from './open-service.ts';
import { choosePort, listen, lowerHashPriority, maxConnections, refuseTakenPorts } from './process.ts';
import { startRegularJobs } from './regular-jobs.ts';
import type { Service } from './service.ts';
import { loadClientsFile } from './settings/clients-file.ts';
import { type Config, configWarnings, readConfig } from './settings/config.ts';
import { readEnvironment } from './settings/environment.ts';

/** EX_CONFIG of sysexits.h. A restart would not help, so the systemd unit does not try (`RestartPreventExitStatus`). */
const wrongSettings = 78;
let exitCode = wrongSettings;

async function start(): Promise<void> {
  const config = readConfig(await choosePort(readEnvironment()));
  // Anything that fails from here may work later: a database that starts, a disk that gets room.
  exitCode = 1;
  refuseForeignFiles(config);
  const unlock = lockFolder(config);
  await refuseTakenPorts(config);
  const service = await openService({ config });
  const operator = { kind: 'service', actor: 'start', origin: hostname(), reason: undefined } as const;
  await recordSettings({ store: service.store, operator, now: service.now() }, service);
  if (config.CLIENTS_FILE) await loadClientsFile({ ...service, file: config.CLIENTS_FILE, now: service.now() });
  const app = await openApp(service);
  const { metrics: measures } = service;
  const jobs = startRegularJobs(service, app.log);
  const metrics =
    measures && (await serveMetrics({ ...service, metrics: measures, jobs, port: config.METRICS_PORT ?? 0 }));
  for (const warning of configWarnings(config)) app.log.warn(warning);

  const stop = async (signal: string) => {
    app.log.info(`${signal}: finishing requests and emails in progress`);
    await stopNode({ app, service, end: () => Promise.all([jobs.stop(), metrics?.close()]) });
    unlock();
    app.log.info('stopped');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  process.on('SIGHUP', () => {
    // Closing a terminal also sends it, which by default kills the process in the middle of its work.
    // On Windows, it is the only cause.
    if (process.platform === 'win32' || process.stdout.isTTY || !hasFiles(config)) void stop('SIGHUP');
    else void rereadFiles(service, app.log);
  });

  limitConnections(app, { max: maxConnections(config) });
  await listen(app, config);
  await lowerHashPriority();
  await notifyServiceManager(app.log);
  greet(config);
}

/**
 * Tells systemd that the service is ready (sd_notify(3), `Type=notify`), if systemd asks. Node cannot send to its socket,
 * so systemd's own program does.
 */
async function notifyServiceManager(log: FastifyBaseLogger): Promise<void> {
  if (!process.env.NOTIFY_SOCKET) return;
  const notified = promisify(execFile)('systemd-notify', ['--ready'], { timeout: seconds(10) });
  await notified.catch((error: Error) => {
    log.warn({ error: error.message }, 'systemd-notify failed: systemd does not learn that the service is ready');
  });
}

/** For people; in production, each line of the output is a log entry. */
function greet(config: Config): void {
  if (config.NODE_ENV === 'production') return;
  print(`\n  ${config.PRODUCT_NAME} is ready: ${config.PUBLIC_URL}/\n`);
  const arriving = config.SMTP_URL === undefined ? 'Emails and calls' : 'Calls';
  if (config.developmentInbox) print(`  ${arriving} arrive at ${config.PUBLIC_URL}/dev/inbox/\n\n`);
}

function reportAndExit(thrown: Error): void {
  const error: Error & { syscall?: string } = asDiskError(thrown);
  process.stderr.write(
    error instanceof SettingsError
      ? `Vestibule cannot start. Correct these settings:\n${error.message}\n`
      : `Vestibule cannot start: ${error.syscall ? error.message : (error.stack ?? error)}\n`,
  );
  process.exitCode = exitCode;
  setTimeout(() => process.exit(exitCode), 100).unref();
}

/** Whether there are files to read again on SIGHUP. */
const hasFiles = ({ WEBHOOKS_FILE, CLIENTS_FILE }: Config): boolean =>
  WEBHOOKS_FILE !== undefined || CLIENTS_FILE !== undefined;

/** Reads the operator's files again. Keeps what it read before from a file that is invalid now. */
async function rereadFiles({ config, webhooks, store, now }: Service, log: FastifyBaseLogger): Promise<void> {
  const { WEBHOOKS_FILE, CLIENTS_FILE } = config;
  try {
    if (WEBHOOKS_FILE) {
      const receivers = readReceivers(WEBHOOKS_FILE);
      webhooks.use(receivers);
      log.info({ receivers: receivers.length }, 'read WEBHOOKS_FILE');
    }
  } catch (error) {
    log.error({ err: error }, 'cannot read WEBHOOKS_FILE; the previous receivers stay');
  }
  try {
    if (CLIENTS_FILE) log.info(await loadClientsFile({ store, file: CLIENTS_FILE, now: now() }), 'read CLIENTS_FILE');
  } catch (error) {
    log.error({ err: error }, 'cannot read CLIENTS_FILE; the previous clients stay');
  }
}

// Before a first start, `bin/serve.mjs` imports the bundle in a process that only compiles it.
if (!process.argv.includes('--compile-only')) await start().catch(reportAndExit);
