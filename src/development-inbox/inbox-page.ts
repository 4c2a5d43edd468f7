import type { CallWay } from '../contract/call-ways.ts';
import { escapeHtml } from '../outbox/email/email-content.ts';
import type { InboxCall, InboxMessage } from './inbox.ts';

/** What is in the inbox, and which of it the page shows. */
export interface Shown {
  /** Of the inbox; the page reloads once it changes. */
  readonly state: string;
  /** Newest first. */
  readonly messages: readonly InboxMessage[];
  /** Newest first. */
  readonly calls: readonly InboxCall[];
  /** The email in the reading pane. */
  readonly open: InboxMessage | undefined;
  /** Whether the developer chose it; otherwise it is the newest, and the next email replaces it. */
  readonly chosen: boolean;
  /** Whether to show its text part. */
  readonly isText: boolean;
}

/** The whole page: the list, the open email beside it (on a phone, instead of it), and the development phone. */
export const inboxPage = ({ state, messages, calls, open, chosen, isText }: Shown): string =>
  inboxDocument({
    title: open && chosen ? `${open.subject} – Development inbox` : 'Development inbox',
    attributes: ` data-state="${state}"${chosen ? ' data-chosen' : ''}`,
    content: `<main>
${phone(calls)}
${messages.length === 0 ? emptyInbox : `${list(messages, open)}\n${open ? readingPane(open, isText) : missing}`}
</main>
<script type="module" src="/dev/inbox/inbox.js"></script>`,
  });

/** The document around the content of every inbox page; `attributes` and `content` are HTML. */
export const inboxDocument = (page: { title: string; attributes?: string; content: string }): string => `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dev/inbox/inbox.css">
</head>
<body${page.attributes ?? ''}>
<header>
<p class="banner"><strong>Development inbox</strong> — nothing on this page is sent. It stays on this machine.</p>
<div class="bar"><h1><a href="/dev/inbox/">Inbox</a></h1><nav aria-label="Pages"><a href="/dev/inbox/preview/">Email previews</a> <a href="/dev/gallery/">Gallery</a> <a href="/">Open the product</a></nav></div>
</header>
${page.content}
</body>
</html>
`;

const emptyInbox = `<section class="mail">
<h2>No email yet</h2>
<p>Request a new password, for example. The email appears here immediately.</p>
<p><a href="/recovery/">Password recovery</a></p>
</section>`;

const back = '<p class="back"><a href="/dev/inbox/">All emails</a></p>';
const missing = `<article class="mail">${back}<h2>This email is gone</h2><p>The inbox keeps only the newest 200 emails.</p></article>`;

/** A time (ISO 8601), in UTC until the script converts it to the reader's time zone. */
const time = (at: string): string => `<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;

/** A link to an email or a view of it; the label is HTML. */
const link = (query: string, label: string, current: boolean): string =>
  `<li><a href="/dev/inbox/?${query}"${current ? ' aria-current="true"' : ''}>${label}</a></li>`;

const list = (messages: readonly InboxMessage[], open: InboxMessage | undefined): string =>
  `<nav class="list" aria-label="Emails"><ol>\n${messages
    .map(({ id, at, to, subject }) => {
      const label = `<strong dir="auto">${escapeHtml(subject)}</strong><span dir="ltr">${escapeHtml(to)}</span>${time(at)}`;
      return link(`mail=${id}`, label, id === open?.id);
    })
    .join('\n')}\n</ol></nav>`;

const row = (name: string, html: string): string => `<div><dt>${name}</dt><dd dir="auto">${html}</dd></div>`;

const readingPane = (
  open: InboxMessage,
  isText: boolean,
): string => `<article class="mail" aria-label="${escapeHtml(open.subject)}">
${back}
<h2 dir="auto">${escapeHtml(open.subject)}</h2>
<dl>${row('From', escapeHtml(open.from))}${row('To', escapeHtml(open.to))}${row('At', time(open.at))}</dl>
<nav class="tabs" aria-label="Views"><ul>
${link(`mail=${open.id}`, 'Email', !isText)}
${link(`mail=${open.id}&amp;view=text`, 'Text', isText)}
<li class="aside"><a href="/dev/inbox/${open.id}/html" target="_blank">New tab</a></li>
</ul></nav>
${isText ? source(open) : mailFrame(open.id)}
</article>`;

const source = ({ text, headers }: InboxMessage): string => `<pre dir="auto" tabindex="0">${escapeHtml(text)}</pre>
<pre>${Object.entries(headers)
  .map((header) => escapeHtml(header.join(': ')))
  .join('\n')}</pre>`;

/** Both this attribute and the document's own header set the sandbox: no script of an email ever runs. */
const mailFrame = (id: string): string =>
  `<iframe title="The email" src="/dev/inbox/${id}/html" loading="lazy" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;

const callLabels: Readonly<Partial<Record<CallWay, string>>> = {
  ring: 'Call: don’t answer, the last four digits are the code',
  voice: 'Call',
  sms: 'Text message',
  whatsapp: 'Message in WhatsApp',
  telegram: 'Message in Telegram',
};

/** The developer's phone: the newest call, with the earlier ones below. */
const phone = (calls: readonly InboxCall[]): string => `<aside class="phone" aria-label="Phone">
${calls.length > 0 ? `<ol>\n${calls.map(callLine).join('\n')}\n</ol>` : '<p>Calls ring here. Request one on the registration page.</p>'}
</aside>`;

const callLine = ({ id, at, from, to, way, spoken, called }: InboxCall): string => `<li data-way="${way}">
<p>${callLabels[way] ?? (called ? 'You have called' : 'Waiting for your call')}</p>
<p class="caller" dir="ltr"><span>${escapeHtml(from.slice(0, -4))}</span><b>${escapeHtml(from.slice(-4))}</b></p>
<p>to <span dir="ltr">${escapeHtml(to)}</span></p>
${time(at)}
${spoken === undefined ? '' : `<blockquote dir="auto">${escapeHtml(spoken)}</blockquote>`}
${way === 'reverse' && !called ? `<button type="button" data-call="${id}">Call this number</button>` : ''}
</li>`;
