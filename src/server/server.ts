import { join } from 'node:path';
import { hours, minutes } from '../contract/constants.ts';
import { startOutbox } from '../outbox/deliver.ts';
import { cleanUp } from '../store/clean-up.ts';
import { openStore } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { openApp } from './app.ts';
import { keepAssets } from './assets.ts';
import { type Config, ConfigError, pageSettings, readConfig } from './config.ts';
import { readEnvironment } from './environment.ts';
import { openKeyring, operatorSecret } from './keyring.ts';
import { serveMetrics } from './metrics.ts';
import { openPages, readBuild } from './rendered-pages.ts';
import { openSenders } from './senders.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');
const now = Date.now;

async function start(): Promise<void> {
  const config = readConfig(readEnvironment());
  const database = { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL };
  await migrate(database);
  const store = openStore(database);
  const keyring = await openKeyring(store, { secret: operatorSecret(config), now: now() });
  const { mail, calls, inbox } = openSenders(config, now);
  const build = readBuild(dist);
  const pages = await openPages({
    dist,
    dataDir: config.DATA_DIR,
    settings: pageSettings(config, { phoneVoice: calls.speaks }),
  });
  const assets = keepAssets({ dist, dataDir: config.DATA_DIR, build: build.id });

  const outbox = startOutbox({ store, now, sender: mail, config });
  const app = await openApp({ config, store, keyring, outbox, calls, inbox, pages, build, assets, now });

  const metrics =
    config.METRICS_PORT === undefined ? undefined : await serveMetrics({ outbox, port: config.METRICS_PORT });

  const clean = () => {
    cleanUp(store, now()).catch((error: unknown) => app.log.warn({ err: error }, 'the clean-up was broken off'));
  };
  // Soon after the start as well, so that a node that restarts often cleans, too.
  const cleaning = [setTimeout(clean, minutes(1)).unref(), setInterval(clean, hours(1)).unref()];

  const stop = async (signal: string) => {
    app.log.info(`${signal}: finishing what is under way`);
    for (const timer of cleaning) clearTimeout(timer);
    await app.close();
    await metrics?.close();
    await outbox.stop();
    await store.destroy();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  await app.listen({ host: config.HOST, port: config.PORT }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause;
    throw new ConfigError(`PORT: somebody else listens at ${config.HOST}:${config.PORT} already`, { cause });
  });
  greet(config);
}

function greet(config: Config): void {
  process.stdout.write(`\n  ${config.PRODUCT_NAME} is ready: ${config.PUBLIC_URL}/\n`);
  if (config.developmentInbox) process.stdout.write(`  Mails and calls arrive at ${config.PUBLIC_URL}/dev/inbox/\n\n`);
}

await start().catch((error: unknown) => {
  const settings = error instanceof ConfigError || /^[A-Z_]+: /.test(String((error as Error)?.message));
  process.stderr.write(
    settings
      ? `This cannot start; please correct the settings:\n${(error as Error).message}\n`
      : `${(error as Error)?.stack ?? error}\n`,
  );
  process.exitCode = 1;
  setTimeout(() => process.exit(1), 100).unref();
});
