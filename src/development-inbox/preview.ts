import type { FastifyInstance, FastifyReply } from 'fastify';
import { type LanguageCode, languages, pathIn } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { compose, type EmailText } from '../outbox/compose.ts';
import { type ProductSettings, productOf } from '../outbox/email/email-content.ts';
import { exampleEmail, isNoticeName, type NoticeName, noticeNamed, noticeNames } from '../outbox/notices.ts';
import { inboxDocument } from './inbox-page.ts';

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
export function previewRoutes(app: FastifyInstance, settings: ProductSettings): void {
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
export const sendMailDocument = (reply: FastifyReply, html: string): FastifyReply =>
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
