// Measures the first visit to each page as a browser receives it, without the account's data; fails if a page exceeds
// its budget.
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { languages } from '../src/contract/languages.ts';
import { compressHtml } from '../src/http/responses/compression.ts';
import { pageSettings, readConfig } from '../src/server/settings/config.ts';
import { inProject } from './steps/places.mjs';

/**
 * Bytes of a first visit to each page: about 5 % above what it was.
 * @type {Record<string, number>}
 */
const limits = {
  'sign-in': 120_000,
  'second-step': 121_500,
  register: 114_500,
  recovery: 102_500,
  'reset-password': 101_000,
  'confirm-mail': 100_500,
  dashboard: 168_500,
  wall: 152_000,
  devices: 170_000,
  device: 179_500,
  records: 169_000,
  'computers-add': 158_000,
  notifications: 154_000,
  alarms: 162_500,
  account: 143_000,
  'account-security': 155_000,
  'account-sessions': 142_000,
  'account-notifications': 148_500,
  'alarm-rules': 176_500,
  'account-privacy': 143_500,
  'change-email': 102_000,
  'keep-second-step': 100_500,
  'no-access': 139_000,
  connect: 140_000,
  'connect-failed': 91_000,
  'connect-device': 138_500,
  'sign-out': 91_000,
  error: 89_500,
  'not-found': 91_000,
};
/** For a page that has no limit of its own yet. */
const usual = 160_000;
/** The share of a limit above which a page is reported: whoever adds to it next decides what else it can do without. */
const nearly = 0.98;
/** Bytes of the headers of one response, as Chromium counts them over HTTP/1.1. */
const headers = 500;

/** A new installation with every optional feature that adds text to pages. */
const settings = pageSettings(readConfig({ SUPPORT_EMAIL: 'support@example.com' }), {
  ways: ['ring', 'voice', 'reverse', 'whatsapp', 'telegram', 'sms'],
  spokenLanguages: languages.map(({ code }) => code),
});

const client = inProject('dist', 'client');
const { id: build } = JSON.parse(readFileSync(`${client}/build.json`, 'utf8'));
const { renderPages } = await import(pathToFileURL(inProject('dist', 'prerender', 'prerender.js')).href);

/** Each page in the language in which it is largest. @type {Map<string, { html: string, bytes: number }>} */
const largest = new Map();
for await (const { page, html } of renderPages({ settings, build })) {
  const bytes = compressHtml({ page, html }).br.length;
  if (bytes > (largest.get(page)?.bytes ?? 0)) largest.set(page, { html, bytes });
}

/** Chunks that a page imports on demand without the visitor's doing. @type {Record<string, string[]>} */
const loadedAutomatically = {
  'sign-in': ['requests'],
  'second-step': ['requests', 'second-step.contract'],
  register: ['countries'],
};
const names = readdirSync(`${client}/assets`);

/** The page's assets and everything that its modules import. */
function assetsOf(/** @type {string} */ html, /** @type {string} */ page) {
  const lazy = (loadedAutomatically[page] ?? []).map((chunk) =>
    names.find((name) => name.startsWith(`${chunk}-`) && name.endsWith('.js')),
  );
  const linked = [...html.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map((match) => match[1]);
  const assets = new Set([...linked, ...lazy]);
  for (const asset of assets) {
    if (!asset?.endsWith('.js')) continue;
    const source = readFileSync(`${client}/assets/${asset}`, 'utf8');
    for (const [, file] of source.matchAll(/(?:from|import)\s*["`]\.\/([^"`]+)["`]/g)) assets.add(file);
  }
  return [...assets];
}

/** @type {string[]} */
const exceeded = [];
console.log('First visit, brotli with headers: bytes, at most, requests without data');
for (const [page, { html, bytes }] of largest) {
  const assets = assetsOf(html, page);
  const sizes = assets.map((asset) => readFileSync(`${client}/assets/${asset}.br`).length + headers);
  const total = sizes.reduce((sum, size) => sum + size, bytes + headers);
  const limit = limits[page] ?? usual;
  const note = total > limit * nearly ? `  ${total > limit ? '' : 'nearly '}too much` : '';
  if (total > limit) exceeded.push(page);
  console.log(
    `  ${page.padEnd(24)}${[total, limit, 1 + assets.length].map((one) => String(one).padStart(8)).join('')}${note}`,
  );
}
if (exceeded.length > 0) {
  console.error(`Pages exceed their budgets: ${exceeded.join(', ')}.`);
  process.exitCode = 1;
}
