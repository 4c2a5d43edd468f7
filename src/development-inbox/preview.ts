import type { FastifyInstance, FastifyReply } from 'fastify';
import { type LanguageCode, languages, pathIn } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import type { EmailText } from '../outbox/compose.ts';
import { compose } from '../outbox/compose.ts';
import { escapeHtml, type ProductSettings, productOf } from '../outbox/email/email-content.ts';
import { exampleEmail, isNoticeName, type NoticeName, noticeNamed, noticeNames } from '../outbox/notices.ts';
import { inboxDocument, mailFrame } from './inbox-page.ts';

/** Renders sample emails as their recipients would get them. */
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

/** The values of a choice, by its part of the address; the first is the default. */
const choices = {
  notice: noticeNames,
  language: ['en', 'all', ...languages.map(({ code }) => code).filter((code) => code !== 'en')],
  part: ['html', 'text'],
  theme: ['light', 'dark'],
  width: ['640', '320', '390', 'full'],
} as const satisfies Record<string, readonly string[]>;

/** The previewed email, and how to show it. */
type Choice = Readonly<Record<keyof typeof choices, string>>;

type Query = Readonly<Record<string, unknown>>;

/** Reads a choice from a query, with defaults for missing and unknown values. */
const readChoice = (query: Query): Choice =>
  Object.fromEntries(
    Object.entries(choices).map(([key, values]) => [key, values.find((one) => one === query[key]) ?? values[0]]),
  ) as Choice;

const address = (path: string, choice: Partial<Choice>): string =>
  escapeHtml(`/dev/inbox/preview/${path}?${new URLSearchParams(choice)}`);

const labelOf = (value: string): string =>
  languages.find(({ code }) => code === value)?.name ?? value.replaceAll('_', ' ');

/** Preview of all emails: the choices on one side, the email in one or all languages on the other. */
const previewPage = (choice: Choice, mails: readonly EmailText[]): string =>
  inboxDocument({
    title: 'Email previews – Development inbox',
    attributes: 'class="previews"',
    content: `<main>
<div class="choices">
${Object.entries(choices)
  .map(
    ([key, values]) => `<nav aria-label="${key}"><h2>${key}</h2><ul>
${values
  .map((value) => {
    const current = choice[key as keyof Choice] === value ? ' aria-current="true"' : '';
    return `<li><a href="${address('', { ...choice, [key]: value })}"${current}>${labelOf(value)}</a></li>`;
  })
  .join('\n')}
</ul></nav>`,
  )
  .join('\n')}
</div>
<div class="shown">
${mails.map((mail) => oneMail(choice, mail)).join('\n')}
</div>
</main>`,
  });

function oneMail({ notice, part, theme, width }: Choice, { language, subject, text }: EmailText): string {
  const name = labelOf(language);
  const content =
    part === 'text'
      ? `<pre dir="auto" tabindex="0">${escapeHtml(text)}</pre>`
      : mailFrame(name, address(`${notice}/${language}/html`, { theme }));
  return `<article class="width-${width}" lang="${language}">
<h3>${name} <bdi>${escapeHtml(subject)}</bdi></h3>
${content}
</article>`;
}

/** The email as a mail client with this theme shows it, regardless of the developer's own theme. */
const inTheme = (html: string, theme: string): string =>
  html
    .replace('@media (prefers-color-scheme: dark)', theme === 'dark' ? '@media all' : '@media not all')
    .replaceAll('light dark', theme);

/** Mounts `/dev/inbox/preview/`: every notice in every language, as sent with the current settings. */
export function previewRoutes(app: FastifyInstance, settings: ProductSettings): void {
  const write = openPreview(settings);
  const inLanguage = ({ notice }: Choice, language: string) => {
    const { code } = languages.find((one) => one.code === language) ?? { code: 'en' };
    return write(isNoticeName(notice) ? notice : 'recovery', code);
  };

  app.get('/dev/inbox/preview', (_request, reply) => reply.redirect('/dev/inbox/preview/', 308));

  app.get('/dev/inbox/preview/', async (request, reply) => {
    const choice = readChoice(request.query as Query);
    const codes = choice.language === 'all' ? languages.map(({ code }) => code) : [choice.language];
    reply.type('text/html; charset=utf-8');
    return previewPage(choice, await Promise.all(codes.map((code) => inLanguage(choice, code))));
  });

  app.get('/dev/inbox/preview/:notice/:language/html', async (request, reply) => {
    const choice = readChoice({ ...(request.query as Query), ...(request.params as Query) });
    const { html } = await inLanguage(choice, choice.language);
    return sendMailDocument(reply, inTheme(html, choice.theme));
  });
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
