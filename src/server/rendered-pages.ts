import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { LanguageCode } from '../contract/languages.ts';
import type { SiteSettings } from '../contract/settings.ts';
import type { Encoded, Page } from '../http/documents.ts';
import { sha256 } from '../security/secrets.ts';

export interface Build {
  readonly id: string;
  readonly timestamp: number;
}

interface Prerender {
  renderPages(options: { settings: SiteSettings; build: string }): AsyncIterable<{
    page: string;
    path: string;
    kind: Page['kind'];
    language: LanguageCode;
    html: string;
    payload: string;
  }>;
}

const keptRenderings = 4;

/** The build in `dist`; throws when there is none. */
export const readBuild = (dist: string): Build => JSON.parse(readFileSync(join(dist, 'client', 'build.json'), 'utf8'));

/**
 * Every page in every language. They depend on the build and on the operator's settings alone, so they are rendered
 * once for each pair, kept in the data folder, and read back at every later start.
 */
export async function openPages({
  dist,
  dataDir,
  settings,
}: {
  dist: string;
  dataDir: string;
  settings: SiteSettings;
}): Promise<readonly Page[]> {
  const build = readBuild(dist);
  const key = sha256(JSON.stringify([settings, build.id, process.version])).slice(0, 16);
  const folder = join(dataDir, 'pages');
  const file = join(folder, key);
  if (existsSync(file)) {
    // Written whole or not at all (below), and only by ourselves: the folder is the operator's own.
    return revive(deserialize(readFileSync(file)));
  }
  const pages = await render(dist, settings, build.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, serialize(pages));
  renameSync(unfinished, file);
  forgetOldRenderings(folder);
  return pages;
}

async function render(dist: string, settings: SiteSettings, build: string): Promise<Page[]> {
  const entry = pathToFileURL(join(dist, 'prerender', 'prerender.js')).href;
  const { renderPages }: Prerender = await import(entry);
  const pages: Page[] = [];
  for await (const { html, payload, ...page } of renderPages({ settings, build })) {
    pages.push({ ...page, html: encode(html), payload: encode(payload) });
  }
  return pages;
}

const quality = 9;

/** A text in every encoding that a browser may ask for. */
export function encode(text: string): Encoded {
  const identity = Buffer.from(text);
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length },
  };
  return { identity, br: brotliCompressSync(identity, options), gzip: gzipSync(identity, { level: 9 }) };
}

/** `deserialize` gives plain byte arrays where Buffers went in. */
const revive = (pages: Page[]): Page[] =>
  pages.map((page) => ({ ...page, html: asBuffers(page.html), payload: asBuffers(page.payload) }));

const asBuffers = ({ identity, br, gzip }: Encoded): Encoded => ({
  identity: Buffer.from(identity),
  br: Buffer.from(br),
  gzip: Buffer.from(gzip),
});

function forgetOldRenderings(folder: string): void {
  const byAge = readdirSync(folder)
    .map((name) => join(folder, name))
    .sort((a, b) => readAge(b) - readAge(a));
  for (const file of byAge.slice(keptRenderings)) rmSync(file, { force: true });
}

const readAge = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
