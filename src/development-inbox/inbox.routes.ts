import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../contract/failures.ts';
import { type LanguageCode, languages, pathIn } from '../contract/languages.ts';
import { isLoopbackHost } from '../contract/pages.ts';
import type { Page } from '../http/pages/page.ts';
import { decompress } from '../http/responses/compression.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { compose, type EmailText } from '../outbox/compose.ts';
import { type ProductSettings, productOf } from '../outbox/email/email-content.ts';
import { exampleEmail, isNoticeName, type NoticeName, noticeNamed, noticeNames } from '../outbox/notices.ts';
import { type Inbox, stateOf } from './inbox.ts';
import { inboxDocument, inboxPage } from './inbox-page.ts';

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** For the gallery, and for the screens in its frame. */
const galleryPolicy = pagePolicy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

/**
 * Mounts `/dev/inbox/`: the emails that would go to a mail server, the calls that a provider would place, a preview of
 * every email, and the gallery of all screens. Only if the public URL is this machine, and only for requests from it.
 */
export function developmentInboxRoutes(
  app: FastifyInstance,
  { inbox, settings, pages }: { inbox: Inbox; settings: ProductSettings; pages: readonly Page[] },
): void {
  app.register(async (room) => {
    room.addHook('onRequest', async (request, reply) => {
      if (!isFromThisMachine(request.raw, settings.PUBLIC_URL)) throw new Failure('not_found');
      reply.header('cache-control', 'no-store').header('content-security-policy', pagePolicy);
    });
    room.get('/dev/inbox', (_request, reply) => reply.redirect('/dev/inbox/', 308));
    room.get('/dev/inbox/', showInbox);
    room.post('/dev/inbox/calls/:id/call', callBack);
    room.get('/dev/inbox/:id/html', showMail);
    room.get('/dev/inbox/inbox.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
    room.get('/dev/inbox/inbox.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
    room.get('/dev/inbox/state', () => stateOf(inbox));
    previewRoutes(room, settings);
    await galleryRoutes(room, pages);
  });

  async function showInbox(request: FastifyRequest, reply: FastifyReply) {
    const { mail, view } = request.query as { mail?: unknown; view?: unknown };
    const chosen = typeof mail === 'string';
    const state = await stateOf(inbox);
    const [messages, calls] = await Promise.all([inbox.list(), inbox.calls.list()]);
    const open = chosen ? messages.find(({ id }) => id === mail) : messages[0];
    reply.code(chosen && !open ? 404 : 200).type('text/html; charset=utf-8');
    return inboxPage({ state, messages, calls, open, chosen, isText: view === 'text' });
  }

  /** Calls the waiting number from the developer's phone. */
  async function callBack(request: FastifyRequest, reply: FastifyReply) {
    const call = await inbox.calls.read((request.params as { id: string }).id);
    if (call?.way !== 'reverse') throw new Failure('not_found');
    await inbox.calls.add({ ...call, called: true });
    return reply.code(204).send();
  }

  async function showMail(request: FastifyRequest, reply: FastifyReply) {
    const message = await inbox.read((request.params as { id: string }).id);
    if (!message) throw new Failure('not_found');
    return sendMailDocument(reply, message.html);
  }
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const styles = ['../ui/tokens.css', '../ui/base.css', 'inbox.css'].map(read).join('\n');
const script = read('inbox.client.js');

/** Headers that proxies and content delivery networks add. */
const proxyHeader =
  /^(?:forwarded$|via$|cdn-|cf-|fastly-|true-client-|x-(?:client|cluster|envoy|forwarded|original|real))/;

/**
 * Whether a request comes from this machine. Emails contain live links. A proxy on this machine must not forward a
 * stranger's request, and a site whose name was rebound to 127.0.0.1 must not read emails through the developer's
 * browser. So the host must equal that of the public URL, which proxies replace by the address that they forward to.
 */
const isFromThisMachine = ({ socket, httpVersion, headers }: FastifyRequest['raw'], publicUrl: string): boolean =>
  // IPv4-mapped IPv6 addresses count as IPv4.
  isLoopbackHost((socket.remoteAddress ?? '').replace(/^::ffff:/i, '')) &&
  // No browser speaks HTTP/1.0; proxies do.
  httpVersion === '1.1' &&
  !Object.keys(headers).some((name) => proxyHeader.test(name)) &&
  headers.host === new URL(publicUrl).host;

/** Output of `vite build` for `src/gallery`; no page of the product loads it. */
const built = fileURLToPath(new URL('../../dist/gallery', import.meta.url));

/** Mounts `/dev/gallery/`: every screen and component in every state, in every language. */
async function galleryRoutes(app: FastifyInstance, pages: readonly Page[]): Promise<void> {
  await app.register(fastifyStatic, { root: built, prefix: '/dev/gallery/assets/', decorateReply: false });
  const send = (reply: FastifyReply, links = '') =>
    reply
      .header('content-security-policy', galleryPolicy)
      .type('text/html; charset=utf-8')
      .send(galleryDocument(links));
  app.get('/dev/gallery', (_request, reply) => reply.redirect('/dev/gallery/', 308));
  app.get('/dev/gallery/', (_request, reply) =>
    send(reply, '<link rel="stylesheet" href="/dev/gallery/assets/gallery.css">'),
  );
  // Shown in a frame of the gallery or alone, with the styles of the state's page.
  app.get('/dev/gallery/stage/', (_request, reply) => send(reply.header('x-frame-options', 'SAMEORIGIN')));
  app.get('/dev/gallery/payloads/*', (request, reply) => {
    const page = pages.find(({ path }) => request.url === `/dev/gallery/payloads${path}_payload.json`);
    if (!page) throw new Failure('not_found');
    return reply.type('application/json; charset=utf-8').send(decompress(page.payload));
  });
}

const galleryDocument = (links: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>Gallery</title>
<link rel="icon" href="data:,">
${links}
<script type="module" src="/dev/gallery/assets/gallery.js"></script>
</head>
<body></body>
</html>
`;

/** Writes example emails as their recipients would get them with the current settings. */
function openPreview(settings: ProductSettings) {
  const product = productOf(settings);
  const catalog = openCatalogs();
  return (notice: NoticeName, language: LanguageCode): Promise<EmailText> => {
    // Users who confirm by email have no account yet, so the email has no name.
    const name = notice === 'confirm_mail' ? undefined : 'Ada Lovelace';
    const example = noticeNamed(notice).example(
      (page, query) => `${settings.PUBLIC_URL}${pathIn(language, page)}?${new URLSearchParams(query)}`,
    );
    const params = JSON.stringify({ ...example, name });
    return compose({ notice, params, locale: language, recipient: exampleEmail }, { product, catalog });
  };
}

/** Called when the service opens: by then, devices have added their notices. */
const listOf = () =>
  inboxDocument({
    title: 'Email previews – Development inbox',
    content: `<main class="previews">
${noticeNames
  .map(
    (notice) => `<section><h2>${notice.replaceAll('_', ' ')}</h2><ul>
${languages.map(({ code, name }) => `<li><a href="/dev/inbox/preview/${notice}/${code}/" lang="${code}">${name}</a></li>`).join('\n')}
</ul></section>`,
  )
  .join('\n')}
</main>`,
  });

/** Mounts `/dev/inbox/preview/`: every notice in every language, for translators. */
function previewRoutes(app: FastifyInstance, settings: ProductSettings): void {
  const write = openPreview(settings);
  const list = listOf();
  app.get('/dev/inbox/preview/', (_request, reply) => reply.type('text/html; charset=utf-8').send(list));
  app.get<{ Params: { notice: string; language: string } }>(
    '/dev/inbox/preview/:notice/:language/',
    async ({ params: { notice, language } }, reply) => {
      const { code } = languages.find((one) => one.code === language) ?? {};
      if (!code || !isNoticeName(notice)) return reply.callNotFound();
      return sendMailDocument(reply, (await write(notice, code)).html);
    },
  );
}

/** Allows only an email's inline styles. Its links escape the sandbox, so that the pages behind them work. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

/** Sends the email's own document, for a frame of the page or a tab, with links that open in a new tab. */
const sendMailDocument = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .headers({
      'content-security-policy': mailPolicy,
      'x-frame-options': 'SAMEORIGIN',
      // Browsers refuse to open a sandboxed document with its own opener policy in a tab.
      'cross-origin-opener-policy': 'unsafe-none',
      // Its origin is opaque, so it cannot join the origin-keyed agent cluster.
      'origin-agent-cluster': '?0',
    })
    .type('text/html; charset=utf-8')
    .send(html.replace('<head>', '<head>\n<base target="_blank">'));
