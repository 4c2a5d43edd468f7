import type { FastifyInstance, FastifyReply } from 'fastify';
import { type LanguageCode, languages, pathIn } from '../contract/languages.ts';
import { hours, minutes } from '../contract/units.ts';
import { warnings } from '../devices/contract/record-kinds.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import type { EmailText } from '../outbox/compose.ts';
import { compose } from '../outbox/compose.ts';
import { escapeHtml, type ProductSettings, productOf } from '../outbox/email/email-content.ts';
import { type AnyNotice, isNoticeName, type NoticeName, noticeNames } from '../outbox/notices.ts';
import { inboxDocument, mailFrame } from './inbox-page.ts';

type Parameters = { readonly [Notice in AnyNotice as Notice['notice']]: Notice['params'] };

const when = Date.UTC(2026, 10, 21, 17, 5);
const secret = 'kX2vN8qR5tY1uB4zD7wG0jL3mP6sV9aC_eH-fIoQrTE';
const ada = { email: 'ada@mail.example', name: 'Ada Lovelace' };

/** Sample parameters of each notice; a notice without a sample does not compile. */
const samples = (publicUrl: string, language: LanguageCode): Parameters => {
  const link = (page: string, query: Record<string, string>) =>
    `${publicUrl}${pathIn(language, page)}?${new URLSearchParams(query)}`;
  return {
    recovery: { link: link('/reset-password/', { email: ada.email, hash: secret }) },
    password_changed: { when },
    session_reused: { ip: '192.0.2.7', when },
    new_device: { device: 'Firefox, Windows', ip: '192.0.2.7', place: 'Berlin', when },
    phone_changed: { when, digits: '67' },
    email_change: { link: link('/change-email/', { email: ada.email, hash: secret }) },
    email_changed: {
      email: 'ada@new.example',
      link: link('/change-email/', { email: ada.email, hash: `undo.${secret}` }),
      when,
    },
    email_change_undone: { link: link('/reset-password/', { email: ada.email, hash: secret }) },
    email_confirmation: { link: link('/account/security/', { hash: secret }) },
    deletion_planned: { when },
    deletion_canceled: {},
    account_cleared: {},
    account_deleted: { when },
    registered: { proof: secret },
    sign_in_code: { code: '048217', device: 'Firefox, Windows', ip: '192.0.2.7', when },
    computer_added: { computer: 'Office', device: 'Linux', ip: '192.0.2.7', when },
    alarm: {
      kind: 'computer_silent',
      device: 'Front desk',
      when,
      others: warnings.map((kind, at) => ({ kind, device: `Server ${at + 1}`, when: when + minutes(4 + at) })),
      more: 12,
    },
    alarm_test: { when },
    passkey_added: { passkey: 'iCloud Keychain', device: 'Safari, macOS', ip: '192.0.2.7', place: 'Berlin', when },
    passkey_removed: { passkey: 'Windows Hello', device: 'Firefox, Windows', ip: '192.0.2.7', place: 'Berlin', when },
    passkey_copied: { passkey: 'YubiKey', device: 'Firefox, Windows', ip: '192.0.2.7', place: 'Berlin', when },
    password_removed: { when },
    second_step_changed: { change: 'added', when, origin: { device: 'Firefox, Windows', ip: '192.0.2.7', when } },
    second_step_removal: {
      when: when + hours(24),
      link: link('/keep-second-step/', { hash: secret }),
      origin: { device: 'Firefox, Windows', ip: '192.0.2.7', when },
    },
    recovery_codes_low: { left: 3, origin: { device: 'Firefox, Windows', ip: '192.0.2.7', when } },
    confirm_mail: { link: link('/confirm-mail/', { call: 'pT4wZ1xK8vQ2nB6mR9sL', hash: secret }) },
  };
};

/** Renders sample emails as their recipients would get them. */
function openPreview(settings: ProductSettings) {
  const product = productOf(settings);
  const catalog = openCatalogs();
  return (notice: NoticeName, language: LanguageCode): Promise<EmailText> => {
    // Users who confirm by email have no account yet, so the email has no name.
    const { name, email } = { ...ada, ...(notice === 'confirm_mail' && { name: undefined }) };
    const params = JSON.stringify({ ...samples(settings.PUBLIC_URL, language)[notice], name });
    return compose({ notice, params, locale: language, recipient: email }, { product, catalog });
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
