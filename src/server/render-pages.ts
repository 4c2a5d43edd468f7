// Renders every page in every language into one file: a process of its own, which takes React and its garbage with it.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serialize } from 'node:v8';
import type { SiteSettings } from '../contract/settings.ts';
import { compress } from '../http/compression.ts';
import type { Page } from '../http/page.ts';

/** Which pages, and the file for them; as JSON, it is the one argument. */
export interface RenderJob {
  readonly dist: string;
  readonly settings: SiteSettings;
  readonly build: string;
  readonly file: string;
}

type Rendered = Omit<Page, 'html' | 'payload'> & { readonly html: string; readonly payload: string };

interface Prerender {
  renderPages(options: Pick<RenderJob, 'settings' | 'build'>): AsyncIterable<Rendered>;
}

const { dist, settings, build, file }: RenderJob = JSON.parse(process.argv[2] ?? '');
const { renderPages }: Prerender = await import(pathToFileURL(join(dist, 'prerender', 'prerender.js')).href);
const pages: Page[] = [];
for await (const page of renderPages({ settings, build }))
  pages.push({ ...page, html: compress(page.html), payload: compress(page.payload) });
// Whole or not at all.
const unfinished = `${file}.${process.pid}`;
writeFileSync(unfinished, serialize(pages));
renameSync(unfinished, file);
