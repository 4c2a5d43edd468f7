import { escapeHtml } from '../outbox/email/isolate.ts';
import type { InboxCall } from './inbox.ts';
import { time } from './time.ts';

/** The developer's phone: the newest call, with the earlier ones below. The script makes it ring. */
export function phonePanel(calls: readonly InboxCall[]): string {
  const [newest, ...earlier] = calls;
  return `<aside class="phone" aria-label="Phone"${newest ? '' : ' data-state="idle"'}>
${handset(newest ?? none)}
<p class="no-call">Calls ring here. Request one on the registration page.</p>
<ol aria-label="Earlier calls">
${earlier.map(earlierCall).join('\n')}
</ol>
<template id="earlier-call">${earlierCall(none)}</template>
</aside>`;
}

const none: InboxCall = { id: '', at: '', to: '', from: '', way: 'ring' };

const receiver = `<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"><path d="M21 16.5v2.6a2 2 0 0 1-2.2 2 17.5 17.5 0 0 1-7.6-2.7 17.2 17.2 0 0 1-5.3-5.3A17.5 17.5 0 0 1 3 5.2 2 2 0 0 1 5 3h2.6a1.5 1.5 0 0 1 1.5 1.3c.1.9.3 1.7.6 2.5a1.5 1.5 0 0 1-.3 1.6l-1.1 1.1a14 14 0 0 0 5.3 5.3l1.1-1.1a1.5 1.5 0 0 1 1.6-.3c.8.3 1.6.5 2.5.6a1.5 1.5 0 0 1 1.3 1.5Z"/></svg>`;

/** The screen of the phone; the script reads and writes the `data-` attributes. */
const handset = ({ id, at, from, to, way, spoken = '', called = false }: InboxCall): string =>
  `<section class="handset" data-id="${id}" data-way="${way}" data-at="${at}" data-called="${called}">
<span class="receiver">${receiver}</span>
<p class="state">Latest</p>
<p class="caller" dir="ltr">${digitsApart(from)}</p>
<p class="called">to <span dir="ltr">${escapeHtml(to)}</span></p>
<p class="when">${time(at)}</p>
<p class="hint for-ring">Don’t answer: the last four digits are the code.</p>
<blockquote class="for-words" dir="auto">${escapeHtml(spoken)}</blockquote>
<button class="for-reverse" type="button">Call this number</button>
</section>`;

const earlierCall = ({ at, from, to, spoken = '' }: InboxCall): string =>
  `<li><strong dir="ltr">${digitsApart(from)}</strong><span dir="ltr">${escapeHtml(to)}</span>` +
  `<q dir="auto">${escapeHtml(spoken)}</q>${time(at)}</li>`;

const digitsApart = (number: string): string =>
  `<span>${escapeHtml(number.slice(0, -4))}</span><b>${escapeHtml(number.slice(-4))}</b>`;
