// What the first visit to the sign-in page costs in bytes as they travel; fails when that outgrows its budget.
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

const pages = [];
for await (const { page, language, html } of renderPages({ settings, build })) {
  if (page === 'sign-in') pages.push({ language, html, bytes: compressed(html) });
}
const largest = pages.reduce((a, b) => (a.bytes > b.bytes ? a : b));

/** The page's assets, and all that its modules import, so that nothing that is found late is left out. */
const assets = new Set(
  [...largest.html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => String(match[1])),
);
for (const asset of assets) {
  if (!asset.endsWith('.js')) continue;
  const imports = readFileSync(client + asset, 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g);
  for (const [, file] of imports) assets.add(`/assets/${file}`);
}

const rows = [...assets].map((asset) => ({ what: asset, bytes: readFileSync(`${client}${asset}.br`).length }));
const sum = (/** @type {string} */ ending) =>
  rows.filter(({ what }) => what.endsWith(ending)).reduce((total, { bytes }) => total + bytes, 0);
/** performance.md: what, how much of it there is, and how much there may be. @type {[string, number, number][]} */
const totals = [
  ['JavaScript', sum('.js'), 75_000],
  ['HTML and CSS', largest.bytes + sum('.css'), 14_000],
  ['everything', largest.bytes + sum(''), 85_000],
  ['requests', 1 + assets.size, 8],
];

const line = (/** @type {(string | number)[]} */ ...[what, has, limit = '']) =>
  console.log(`  ${String(what).padEnd(44)}${String(has).padStart(8)}${String(limit).padStart(10)}`);
line('First visit to sign-in, brotli', 'bytes', 'at most');
line(`HTML (${largest.language}, the largest of ${pages.length})`, largest.bytes);
for (const { what, bytes } of rows) line(what, bytes);
for (const total of totals) line(...total);

const outgrown = totals.filter(([, has, limit]) => has > limit).map(([what]) => what);
if (outgrown.length > 0) {
  console.error(`The sign-in page outgrew its budget (performance.md): ${outgrown.join(', ')}.`);
  process.exitCode = 1;
}
