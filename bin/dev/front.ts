import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { referencePlaceholder } from '../../src/contract/failures.ts';
import { type RenderRequest, type RunningService, rendered } from './run-service.ts';
import type { Site } from './site.ts';

interface FrontTargets {
  readonly site: Site;
  readonly service: RunningService;
}

/** Paths that Vite serves: sources, packages and its own client. No page or endpoint has such a path. */
const ofVite = /^\/(?:@|src\/|node_modules\/|__open-in-editor)/;

/** The proxy that browsers connect to, in front of Vite and of the service, which may be restarting. */
export function openFront() {
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
