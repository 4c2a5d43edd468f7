// `npm run dev`: the service with hot reloading. Screens and styles are replaced in the open page, the server restarts
// when its code changes and keeps its data, and edited texts appear immediately.
//   --inspect[=host:port]  opens the server's debugger, including after a restart
import { relative } from 'node:path';
import { SettingsError } from '../../src/contract/settings.ts';
import { readConfig } from '../../src/server/settings/config.ts';
import { readEnvironment } from '../../src/server/settings/environment.ts';
import { writeAgent } from '../steps/agent.ts';
import { inProject, root } from '../steps/places.mjs';
import { openFront } from './front.ts';
import { runService } from './run-service.ts';
import { openTexts } from './texts.ts';

async function develop(): Promise<void> {
  const config = readConfig(readEnvironment());
  if (!config.developmentInbox) console.log('  Emails and calls are real: SMTP_URL and CALL_PROVIDERS are set.');
  writeAgent();
  const service = runService(process.argv.filter((argument) => argument.startsWith('--inspect')));
  const texts = openTexts();
  texts.compile();
  const front = openFront();
  // Loads while the service starts.
  const { openSite } = await import('./site.ts');
  const site = await openSite({ server: front.server, dataDir: config.DATA_DIR });
  front.serve({ site, service });
  site.watcher.on('all', (_event, file) => changed(file));
  await front.listen(config).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause;
    throw new SettingsError(`PORT: another process already listens at ${config.HOST}:${config.PORT}`, { cause });
  });
  const state = await service.ready().then(
    () => 'is ready',
    () => 'starts as soon as you fix the error above',
  );
  console.log(`\n  ${config.PRODUCT_NAME} ${state}: ${config.PUBLIC_URL}/`);
  if (config.developmentInbox) console.log(`  Emails and calls arrive at ${config.PUBLIC_URL}/dev/inbox/\n`);

  function changed(file: string): void {
    const path = relative(root, file).replaceAll('\\', '/');
    if (path.endsWith('.po') && texts.compile()) service.forgetTexts();
    if (isCompiledText(path)) site.reload();
    if (isAgent(path)) reassembleAgent();
    if (isServerCode(path) || isReadByServer(path)) service.restart();
    // The failure page does not watch the broken file itself.
    if (front.hasFailed()) void service.ready().then(site.reload, () => undefined);
  }

  const stop = async () => {
    texts.close();
    front.close();
    await Promise.all([service.stop(), site.close()]);
    process.exit();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** The renderer imports the compiled texts, so it has already seen the change when this event arrives. */
const isCompiledText = (path: string) => path.startsWith('dist/messages/');

/** The agent stays as it is while one of its modules is missing. */
function reassembleAgent(): void {
  try {
    writeAgent();
  } catch (problem) {
    console.error((problem as Error).message);
  }
}

/** A module of the reference agent, which the server serves as one file. */
const isAgent = (path: string) => path.startsWith('bin/agent/');

/** Also modules that only the command line or a script uses: a restart too many does no harm. */
const isServerCode = (path: string) =>
  /^src\/(?!browser|ui|gallery|testing).*\.ts$/.test(path) && !/\.(?:d|part|test)\.ts$|\/ids\.ts$/.test(path);

/** Files that the server reads without importing them. */
const isReadByServer = (path: string) => path === '.env' || path.startsWith('src/development-inbox/') || isAgent(path);

process.chdir(inProject());
await develop().catch((problem: Error) => {
  console.error(
    problem instanceof SettingsError ? `Vestibule cannot start. Correct these settings:\n${problem.message}` : problem,
  );
  process.exit(1);
});
