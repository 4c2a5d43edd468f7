import { escapeHtml } from '../outbox/email/isolate.ts';
import type { InboxCall, InboxMessage } from './inbox.ts';
import { phonePanel } from './phone-panel.ts';
import { time } from './time.ts';

/** The ways to look at a mail, in the order of their tabs. */
export const views = { html: 'Mail', text: 'Text', headers: 'Headers' } as const;
export type View = keyof typeof views;

interface Inbox {
  /** The newest first. */
  readonly messages: readonly InboxMessage[];
  /** The newest first. */
  readonly calls: readonly InboxCall[];
  /** The one in the reading pane. */
  readonly open: InboxMessage | undefined;
  /** Whether somebody chose it; else it is the newest, and the next mail takes its place. */
  readonly chosen: boolean;
  readonly view: View;
}

/** The whole page: a list, beside it (on a phone: instead of it) one mail as its recipient sees it, and the phone. */
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
  /** Of the body, as HTML. */
  readonly attributes: string;
  readonly content: string;
}

/** What every page of the inbox has around it. */
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
<p class="banner"><strong>Development inbox</strong> — what is shown here is not sent. It stays on this machine.</p>
<div class="bar"><h1><a href="/dev/inbox/">Inbox</a></h1><nav aria-label="Pages"><a href="/dev/inbox/preview/">Mail previews</a> <a href="/">Open the product</a></nav></div>
</header>
${content}
</body>
</html>
`;

const emptyInbox = `<section class="empty">
<h2>No mail yet</h2>
<p>Ask for a new password, for example. The mail appears here at once, without reloading.</p>
<p><a class="button" href="/recovery/">Password recovery</a></p>
</section>`;

const back = '<p class="back"><a href="/dev/inbox/">All mails</a></p>';

const missing = `<article class="mail">${back}<div class="missing"><h2>This mail is gone</h2><p>Only the newest 200 mails are kept.</p></div></article>`;

type Summary = Pick<InboxMessage, 'id' | 'at' | 'from' | 'to' | 'subject'>;

const list = (messages: readonly Summary[], open: Summary | undefined): string =>
  `<nav class="list" aria-label="Mails"><ol>\n${messages.map((message) => listItem(message, message.id === open?.id)).join('\n')}\n</ol></nav>`;

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
  // The sandbox is set here and again by the document's own header: no script of a mail ever runs.
  if (view === 'html') {
    return `<iframe title="The mail" src="/dev/inbox/${open.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
  }
  if (view === 'text') return `<pre dir="auto" tabindex="0">${escapeHtml(open.text)}</pre>`;
  const rows = Object.entries(open.headers).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd dir="auto">${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="headers">${rows.join('')}</dl>`;
}

/** The mail's own document, with links that open in a new tab. */
export const mailDocument = ({ html }: Pick<InboxMessage, 'html'>): string =>
  html.replace('<head>', '<head>\n<base target="_blank">');
