import { escapeHtml } from '../outbox/email/isolate.ts';
import type { InboxCall, InboxMessage } from './inbox.ts';
import { phonePanel } from './phone-panel.ts';
import { time } from './time.ts';

/** The views of an email, in the order of their tabs. */
export const views = { html: 'Email', text: 'Text', headers: 'Headers' } as const;
export type View = keyof typeof views;

interface Inbox {
  /** Newest first. */
  readonly messages: readonly InboxMessage[];
  /** Newest first. */
  readonly calls: readonly InboxCall[];
  /** The email in the reading pane. */
  readonly open: InboxMessage | undefined;
  /** Whether the developer chose it; otherwise it is the newest, and the next email replaces it. */
  readonly chosen: boolean;
  readonly view: View;
}

/** The whole page: the list, the open email beside it (on a phone, instead of it), and the development phone. */
export const inboxPage = ({ messages, calls, open, chosen, view }: Inbox): string =>
  inboxDocument({
    title: open && chosen ? `${open.subject} – Development inbox` : 'Development inbox',
    attributes: `data-newest="${messages[0]?.id ?? ''}.${calls[0]?.id ?? ''}"${chosen ? ' data-chosen' : ''}`,
    content: `<p class="status" role="status"></p>
<main>
${phonePanel(calls)}
${messages.length === 0 ? emptyInbox : `${list(messages, open)}\n${open ? readingPane(open, view) : missing}`}
</main>
<template id="mail">${listItem({ id: '', at: '', from: '', to: '', subject: '' }, false)}</template>
<script type="module" src="/dev/inbox/inbox.js"></script>`,
  });

interface Page {
  readonly title: string;
  /** Attributes of the body, as HTML. */
  readonly attributes: string;
  readonly content: string;
}

/** The document around the content of every inbox page. */
export const inboxDocument = ({ title, attributes, content }: Page): string => `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dev/inbox/inbox.css">
</head>
<body ${attributes}>
<header>
<p class="banner"><strong>Development inbox</strong> — nothing on this page is sent. It stays on this machine.</p>
<div class="bar"><h1><a href="/dev/inbox/">Inbox</a></h1><nav aria-label="Pages"><a href="/dev/inbox/preview/">Email previews</a> <a href="/">Open the product</a></nav></div>
</header>
${content}
</body>
</html>
`;

const emptyInbox = `<section class="empty">
<h2>No email yet</h2>
<p>Request a new password, for example. The email appears here immediately, without reloading.</p>
<p><a class="button" href="/recovery/">Password recovery</a></p>
</section>`;

const back = '<p class="back"><a href="/dev/inbox/">All emails</a></p>';

const missing = `<article class="mail">${back}<div class="missing"><h2>This email is gone</h2><p>The inbox keeps only the newest 200 emails.</p></div></article>`;

type Summary = Pick<InboxMessage, 'id' | 'at' | 'from' | 'to' | 'subject'>;

const list = (messages: readonly Summary[], open: Summary | undefined): string =>
  `<nav class="list" aria-label="Emails"><ol>\n${messages.map((message) => listItem(message, message.id === open?.id)).join('\n')}\n</ol></nav>`;

const listItem = ({ id, at, to, subject }: Summary, current: boolean): string =>
  `<li><a href="/dev/inbox/?mail=${id}"${current ? ' aria-current="true"' : ''}>` +
  `<strong dir="auto">${escapeHtml(subject)}</strong><span dir="ltr">${escapeHtml(to)}</span>${time(at)}</a></li>`;

function readingPane(open: InboxMessage, view: View): string {
  return `<article class="mail" aria-label="${escapeHtml(open.subject)}">
${back}
<h2 dir="auto">${escapeHtml(open.subject)}</h2>
<dl>
<div><dt>From</dt><dd dir="auto">${escapeHtml(open.from)}</dd></div>
<div><dt>To</dt><dd dir="ltr">${escapeHtml(open.to)}</dd></div>
<div><dt>At</dt><dd>${time(open.at)}</dd></div>
</dl>
<nav class="views" aria-label="Views"><ul>
${Object.entries(views)
  .map(([name, label]) => tab(open, { name, label, current: name === view }))
  .join('\n')}
<li class="aside"><a href="/dev/inbox/${open.id}/html" target="_blank">New tab</a></li>
</ul></nav>
${shown(open, view)}
</article>`;
}

const tab = (
  { id }: InboxMessage,
  { name, label, current }: { name: string; label: string; current: boolean },
): string =>
  `<li><a href="/dev/inbox/?mail=${id}&amp;view=${name}"${current ? ' aria-current="page"' : ''}>${label}</a></li>`;

function shown(open: InboxMessage, view: View): string {
  // Both this attribute and the document's own header set the sandbox: no script of an email ever runs.
  if (view === 'html') {
    return `<iframe title="The email" src="/dev/inbox/${open.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
  }
  if (view === 'text') return `<pre dir="auto" tabindex="0">${escapeHtml(open.text)}</pre>`;
  const rows = Object.entries(open.headers).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd dir="auto">${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="headers">${rows.join('')}</dl>`;
}

/** The email's own document, with links that open in a new tab. */
export const mailDocument = ({ html }: Pick<InboxMessage, 'html'>): string =>
  html.replace('<head>', '<head>\n<base target="_blank">');
