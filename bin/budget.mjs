// What the first visit to a page costs in bytes as they travel; fails when that outgrows its budget.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { inProject } from './steps/places.mjs';

/** The settings of a fresh installation. */
const settings = {
  productName: 'Vestibule',
  publicUrl: 'http://localhost:3000',
  supportEmail: 'support@example.com',
  passwordMinLength: 6,
  phoneConfirmation: 'required',
  phoneVoice: true,
  phoneMail: false,
  mailCode: true,
  redirectRules: false,
  developmentInbox: true,
};

const client = inProject('dist', 'client');
const { id: build } = JSON.parse(readFileSync(`${client}/build.json`, 'utf8'));
const { renderPages } = await import(pathToFileURL(inProject('dist', 'prerender', 'prerender.js')).href);

// As `rendered-pages.ts` compresses them.
const compressed = (/** @type {string} */ text) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length;

/** performance.md: what a page may cost at most. `alone`: what its screen goes on to load without being asked. */
const budgets = [
  { page: 'sign-in', alone: [], javaScript: 75_000, htmlAndCss: 14_000, everything: 85_000, requests: 8 },
  {
    page: 'register',
    alone: ['countries'],
    javaScript: 110_000,
    htmlAndCss: 15_000,
    everything: 125_000,
    requests: 12,
  },
];

/** @type {{ page: string, language: string, html: string, bytes: number }[]} */
const pages = [];
for await (const { page, language, html } of renderPages({ settings, build })) {
  if (budgets.some((budget) => budget.page === page)) pages.push({ page, language, html, bytes: compressed(html) });
}

const read = (/** @type {string} */ asset) => readFileSync(client + asset, 'utf8');
const importsOf = (/** @type {string} */ asset, /** @type {RegExp} */ pattern) =>
  asset.endsWith('.js') ? [...read(asset).matchAll(pattern)].map(([, file]) => `/assets/${file}`) : [];

/** A page's assets, and all that its modules import, so that nothing that is found late is left out. */
function assetsOf(/** @type {string} */ html, /** @type {string[]} */ alone) {
  const assets = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => String(match[1])));
  const isAlone = (/** @type {string} */ asset) => alone.some((name) => asset.startsWith(`/assets/${name}-`));
  for (const asset of assets) {
    for (const imported of importsOf(asset, /(?:from|import)\s*["`]\.\/([^"`]+)/g)) assets.add(imported);
    for (const imported of importsOf(asset, /import\(\s*["`]\.\/([^"`]+)/g))
      if (isAlone(imported)) assets.add(imported);
  }
  const missing = alone.filter((name) => ![...assets].some((asset) => asset.startsWith(`/assets/${name}-`)));
  if (missing.length > 0) throw new Error(`No page loads ${missing.join(', ')} any more: see the list of budgets.`);
  return [...assets];
}

const line = (/** @type {(string | number)[]} */ ...[what, has, limit = '']) =>
  console.log(`  ${String(what).padEnd(44)}${String(has).padStart(8)}${String(limit).padStart(10)}`);

/** Prints what a page costs, and returns what of it is too much. @returns {string[]} */
function weigh(/** @type {(typeof budgets)[number]} */ { page, alone, ...budget }) {
  const all = pages.filter((one) => one.page === page);
  const largest = all.reduce((a, b) => (a.bytes > b.bytes ? a : b));
  const rows = assetsOf(largest.html, alone).map((what) => ({
    what,
    bytes: readFileSync(`${client}${what}.br`).length,
  }));
  const sum = (/** @type {string} */ ending) =>
    rows.filter(({ what }) => what.endsWith(ending)).reduce((total, { bytes }) => total + bytes, 0);
  /** What, how much of it there is, and how much there may be. @type {[string, number, number][]} */
  const totals = [
    ['JavaScript', sum('.js'), budget.javaScript],
    ['HTML and CSS', largest.bytes + sum('.css'), budget.htmlAndCss],
    ['everything', largest.bytes + sum(''), budget.everything],
    ['requests', 1 + rows.length, budget.requests],
  ];
  line(`First visit to ${page}, brotli`, 'bytes', 'at most');
  line(`HTML (${largest.language}, the largest of ${all.length})`, largest.bytes);
  for (const { what, bytes } of rows) line(what, bytes);
  for (const total of totals) line(...total);
  return totals.filter(([, has, limit]) => has > limit).map(([what]) => `${what} of ${page}`);
}

const outgrown = budgets.flatMap(weigh);
if (outgrown.length > 0) {
  console.error(`Outgrew its budget (performance.md): ${outgrown.join(', ')}.`);
  process.exitCode = 1;
}
