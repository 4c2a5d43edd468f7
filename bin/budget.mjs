// Measures the compressed bytes of the first visit to each page; fails if a page exceeds its budget.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { languages } from '../src/contract/languages.ts';
import { compressHtml } from '../src/http/encoding/compression.ts';
import { pageSettings, readConfig } from '../src/server/settings/config.ts';
import { pageReads } from '../src/site/page-reads.ts';
import { inProject } from './steps/places.mjs';

/** @typedef {{ page: string, language: string, html: string, bytes: number }} Rendered */

/**
 * The budget of a page: bytes, and requests. The names of files are hashes, so two builds of the same code differ by up
 * to 60 bytes, and a page that somebody adds costs each page 40 bytes: leave room for both.
 */
const limits = {
  /** Most users see this page first, and often no other. */
  'sign-in': { JavaScript: 65_600, 'HTML and CSS': 10_500, everything: 75_700, requests: 7 },
  others: { everything: 92_700 },
  /** Includes the code that sends the requests for its data, which the page preloads. */
  'behind sign-in': { everything: 121_700 },
};

/** A new installation with every optional feature that adds text to pages. */
const settings = pageSettings(readConfig({ SUPPORT_EMAIL: 'support@example.com' }), {
  ways: ['ring', 'voice', 'reverse', 'whatsapp', 'telegram', 'sms'],
  spokenLanguages: languages.map(({ code }) => code),
});

const client = inProject('dist', 'client');
const { id: build } = JSON.parse(readFileSync(`${client}/build.json`, 'utf8'));
const { renderPages } = await import(pathToFileURL(inProject('dist', 'prerender', 'prerender.js')).href);

/** Each page in the language in which it is largest. @type {Map<string, Rendered>} */
const largest = new Map();
for await (const { page, language, html } of renderPages({ settings, build })) {
  const bytes = compressHtml({ page, html }).br.length;
  if (bytes > (largest.get(page)?.bytes ?? 0)) largest.set(page, { page, language, html, bytes });
}

/** Parts that a screen loads immediately after it renders. @type {Record<string, string>} */
const loadedAtOnce = { register: 'countries' };

/** The page's assets and everything that its modules import, including files that the browser discovers late. */
function assetsOf(/** @type {string} */ html, /** @type {string} */ page) {
  const assets = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => String(match[1])));
  for (const asset of assets) {
    if (!asset.endsWith('.js')) continue;
    const source = readFileSync(client + asset, 'utf8');
    for (const [, file] of source.matchAll(/(?:from|import)\s*["`]\.\/([^"`]+)["`]/g)) assets.add(`/assets/${file}`);
    for (const [, file = ''] of source.matchAll(/import\(["`]\.\/([^"`]+)["`]\)/g))
      if (file.startsWith(`${loadedAtOnce[page]}-`)) assets.add(`/assets/${file}`);
  }
  return [...assets].map((asset) => ({ what: asset, bytes: readFileSync(`${client}${asset}.br`).length }));
}

const line = (/** @type {(string | number)[]} */ ...[what, has, limit = '']) =>
  console.log(`  ${String(what).padEnd(44)}${String(has).padStart(8)}${String(limit).padStart(10)}`);

/** @returns {string[]} the exceeded budgets */
function examine(/** @type {Rendered} */ { page, language, html, bytes }) {
  const assets = assetsOf(html, page);
  const sum = (/** @type {string} */ ending) =>
    assets.filter(({ what }) => what.endsWith(ending)).reduce((total, asset) => total + asset.bytes, 0);
  const has = {
    JavaScript: sum('.js'),
    'HTML and CSS': bytes + sum('.css'),
    everything: bytes + sum(''),
    requests: 1 + assets.length,
  };
  const isFirst = page === 'sign-in';
  const totals = /** @type {[keyof typeof has, number][]} */ (
    Object.entries(isFirst ? limits['sign-in'] : limits[page in pageReads ? 'behind sign-in' : 'others'])
  );
  line(page, '');
  if (isFirst) {
    line(`  HTML (${language}, the largest of all)`, bytes);
    for (const asset of assets) line(`  ${asset.what}`, asset.bytes);
  }
  for (const [what, limit] of totals) line(`  ${what}`, has[what], limit);
  return totals.filter(([what, limit]) => has[what] > limit).map(([what]) => `${page}: ${what}`);
}

line('First visit, brotli', 'bytes', 'at most');
const outgrown = [...largest.values()].flatMap(examine);
if (outgrown.length > 0) {
  console.error(`Pages exceed their budgets: ${outgrown.join(', ')}.`);
  process.exitCode = 1;
}
