import { languages } from '../contract/languages.ts';
import { escapeHtml } from '../outbox/email/isolate.ts';
import type { EmailText } from '../outbox/email-message.ts';
import { noticeNames } from '../outbox/notices.ts';
import { inboxDocument } from './inbox-page.ts';
import { type Choice, themes, widths } from './preview.ts';

/** An email to show, in its language. */
export interface ShownEmail {
  readonly choice: Choice;
  readonly mail: EmailText;
}

/** Preview of all emails: the choices on one side, the email in one or all languages on the other. */
export const previewPage = (choice: Choice, shown: readonly ShownEmail[]): string =>
  inboxDocument({
    title: 'Email previews – Development inbox',
    attributes: 'class="previews"',
    content: `<main>
<div class="choices">
${choices(choice, { title: 'Email', key: 'notice', values: noticeNames.map((name) => [name, readable(name)]) })}
${choices(choice, { title: 'Language', key: 'language', values: languageValues })}
${choices(choice, {
  title: 'Part',
  key: 'part',
  values: [
    ['html', 'HTML'],
    ['text', 'Text'],
  ],
})}
${choices(choice, { title: 'Theme', key: 'theme', values: themes.map((theme) => [theme, theme]) })}
${choices(choice, { title: 'Width', key: 'width', values: widths.map((width) => [width, width]) })}
</div>
<div class="shown">
${shown.map(oneMail).join('\n')}
</div>
</main>`,
  });

const languageValues = [['all', 'all'], ...languages.map(({ code, name }) => [code, name] as const)] as const;

interface Choices {
  readonly title: string;
  readonly key: keyof Choice;
  readonly values: readonly (readonly [value: string, label: string])[];
}

const choices = (
  choice: Choice,
  { title, key, values }: Choices,
): string => `<nav aria-label="${title}"><h2>${title}</h2><ul>
${values.map(([value, label]) => `<li><a href="${address(choice, { [key]: value })}"${choice[key] === value ? ' aria-current="true"' : ''}>${label}</a></li>`).join('\n')}
</ul></nav>`;

const readable = (notice: string): string => notice.replaceAll('_', ' ');

const address = (choice: Choice, change: Partial<Record<keyof Choice, string>>): string =>
  escapeHtml(`/dev/inbox/preview/?${new URLSearchParams({ ...choice, ...change })}`);

function oneMail({ choice, mail }: ShownEmail): string {
  const { notice, language, part, theme, width } = choice;
  const name = languages.find(({ code }) => code === language)?.name ?? '';
  const frame = escapeHtml(`/dev/inbox/preview/${notice}/${language}/html?${new URLSearchParams({ theme })}`);
  const content =
    part === 'text'
      ? `<pre dir="auto" tabindex="0">${escapeHtml(mail.text)}</pre>`
      : `<iframe title="${name}" src="${frame}" loading="lazy" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
  return `<article class="width-${width}" lang="${mail.language}">
<h3><span>${name}</span> <bdi>${escapeHtml(mail.subject)}</bdi></h3>
${content}
</article>`;
}
