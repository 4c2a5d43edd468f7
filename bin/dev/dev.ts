// `npm run dev`: the service with hot reloading. Screens and styles are replaced in the open page, the server restarts
// when its code changes and keeps its data, and edited texts appear immediately.
//   --inspect[=host:port]  opens the server's debugger, including after a restart

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { referencePlaceholder } from '../../src/contract/failures.ts';
import { SettingsError } from '../../src/contract/settings.ts';
import { readConfig } from '../../src/server/settings/config.ts';
import { readEnvironment } from '../../src/server/settings/environment.ts';
import { writeAgent } from '../steps/agent.ts';
import { readCatalogs, warnOfMessages, withEnglish, writeIds, writeMessages } from '../steps/messages.ts';
import { inProject, pinnedNode, root } from '../steps/places.mjs';
import { forgetBuild } from '../steps/setup.mjs';
import { type RenderRequest, type RunningService, rendered, runService } from './run-service.ts';
import type { Site } from './site.ts';

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

/** Keeps the compiled texts up to date with the catalogs. */
interface Texts {
  /** Compiles the catalogs and updates `ids.ts`. Returns whether a compiled text changed. */
  compile(): boolean;
  close(): void;
}

/** Milliseconds within which an editor saves every catalog and the page loads. */
const settling = 1000;

/**
 * Shows texts without a translation in English. If the English catalog is unreadable, keeps the last compiled texts and
 * prints the reason.
 */
function openTexts(): Texts {
  let timer: NodeJS.Timeout | undefined;
  let check: ChildProcess | undefined;
  const close = () => {
    clearTimeout(timer);
    check?.kill();
  };

  return {
    compile() {
      close();
      try {
        const catalogs = readCatalogs();
        const idsChanged = writeIds(catalogs);
        const textsChanged = writeMessages(withEnglish(catalogs));
        // The compiled texts no longer match the build; the next `npm start` rebuilds.
        if (idsChanged || textsChanged) forgetBuild();
        timer = setTimeout(() => {
          check = warnOfProblems();
        }, settling);
        return textsChanged;
      } catch (problem) {
        warnOfMessages([(problem as Error).message]);
        return false;
      }
    },
    close,
  };
}

/** In a separate process: the check takes longer than everything else, and this process renders the pages. */
function warnOfProblems(): ChildProcess {
  const check = spawn(pinnedNode, [inProject('bin', 'steps', 'messages.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  check.stderr?.on('data', (text: Buffer) => {
    printed += text;
  });
  check.once('close', (code) => {
    if (code) warnOfMessages(printed.trim().split('\n'));
  });
  return check;
}

interface FrontTargets {
  readonly site: Site;
  readonly service: RunningService;
}

/** Paths that Vite serves: sources, packages and its own client. No page or endpoint has such a path. */
const ofVite = /^\/(?:@|src\/|node_modules\/|__open-in-editor)/;

/** The proxy that browsers connect to, in front of Vite and of the service, which may be restarting. */
function openFront() {
  let behind: FrontTargets | undefined;
  let failed = false;
  const server = createServer((incoming, response) => {
    if (!behind) response.writeHead(503).end();
    else if (ofVite.test(incoming.url ?? '')) behind.site.middlewares(incoming, response);
    else void respond(behind, incoming, response).catch((problem: Error) => fail(problem, response));
  });

  function fail(problem: Error, response: ServerResponse): void {
    failed = true;
    if (response.headersSent) response.destroy();
    else {
      response.writeHead(500, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(failurePage(problem));
    }
  }

  return {
    server,
    serve(given: FrontTargets) {
      behind = given;
    },
    /** Whether anything failed since the last call. */
    hasFailed() {
      const had = failed;
      failed = false;
      return had;
    },
    listen: ({ HOST: host, PORT: port }: { HOST: string; PORT: number }) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(
  { site, service }: FrontTargets,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const upstream = await ask(service, incoming);
  const { statusCode = 502, headers } = upstream;
  const body = namesPage(headers) ? await text(upstream) : undefined;
  if (body === undefined || !body.startsWith(`{"rendered":"${rendered}"`)) {
    response.writeHead(statusCode, headers);
    if (body === undefined) upstream.pipe(response);
    else response.end(body);
    return;
  }
  const named: RenderRequest = JSON.parse(body);
  const { html, payload, policy } = await site.render(named);
  const sent = named.part === 'html' ? html.replaceAll(referencePlaceholder, named.reference) : payload;
  const { etag, 'content-length': length, ...others } = headers;
  response.writeHead(statusCode, {
    ...others,
    'content-security-policy': policy(String(headers['content-security-policy'])),
  });
  response.end(incoming.method === 'HEAD' ? undefined : sent);
}

const namesPage = ({ 'content-type': type = '' }: IncomingHttpHeaders) =>
  /^(?:text\/html|application\/json)/.test(type);

/** Forwards a request. If the old process ends meanwhile, repeats a GET or HEAD at the new one. */
async function ask(service: RunningService, incoming: IncomingMessage): Promise<IncomingMessage> {
  const mayRepeat = ['GET', 'HEAD'].includes(incoming.method ?? '');
  const port = await service.ready();
  try {
    return await pass(incoming, port);
  } catch (problem) {
    const next = await service.ready();
    if (mayRepeat && next !== port) return pass(incoming, next);
    throw problem;
  }
}

function pass(incoming: IncomingMessage, port: number): Promise<IncomingMessage> {
  const { 'accept-encoding': _coding, 'if-none-match': _tag, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers });
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    incoming.once('close', () => incoming.readableEnded || outgoing.destroy());
    incoming.pipe(outgoing);
  });
}

const escaped = (raw: string) => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Includes Vite's client, so that the page reloads once the error is fixed. */
const failurePage = ({ message, stack = message }: Error) => `<!doctype html>
<meta charset="utf-8">
<title>${escaped(message.split('\n', 1)[0] ?? '')}</title>
<script type="module" src="/@vite/client"></script>
<pre>${escaped(stack)}</pre>
`;

process.chdir(inProject());
await develop().catch((problem: Error) => {
  console.error(
    problem instanceof SettingsError ? `Vestibule cannot start. Correct these settings:\n${problem.message}` : problem,
  );
  process.exit(1);
});
