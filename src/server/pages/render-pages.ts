// Renders every page in every language into one file. A separate process, so that its exit frees React and its memory.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SiteSettings } from '../../contract/settings.ts';
import type { Page } from '../../http/pages/page.ts';
import { compress, compressHtml } from '../../http/responses/compression.ts';
import { writePages } from './page-file.ts';

/** What to render, and the file to write. Passed as JSON in the only argument. */
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
  pages.push({ ...page, html: compressHtml(page), payload: compress(page.payload) });
// Atomically: the file is complete or absent.
const unfinished = `${file}.${process.pid}`;
writePages(unfinished, pages);
renameSync(unfinished, file);
