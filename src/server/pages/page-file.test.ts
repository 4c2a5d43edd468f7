import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Page } from '../../http/pages/page.ts';
import { openPageFile, writePages } from './page-file.ts';

/** Its texts take 0.2 MB, of which one megabyte stays in memory. */
function pageAt(path: string): Page {
  const texts = () => ({ br: randomBytes(50_000), gzip: randomBytes(60_000) });
  return { page: 'sign-in', path, kind: 'open', language: 'en', html: texts(), payload: texts() };
}

test('pages can be read any number of times, also after their file is deleted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-pages-'));
  const file = join(folder, 'pages');
  const written = Array.from({ length: 20 }, (_, at) => pageAt(`/${at}/`));
  writePages(file, written);
  const pages = openPageFile(file);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  for (const round of [1, 2]) {
    for (const [at, { path, html, payload }] of pages.entries()) {
      expect({ path, br: html.br, gzip: html.gzip, data: payload.br }, `round ${round}`).toEqual({
        path: written[at]?.path,
        br: written[at]?.html.br,
        gzip: written[at]?.html.gzip,
        data: written[at]?.payload.br,
      });
    }
  }
});

test.each([0, 3, 100, 100_000, 4_300_000])('a file that was truncated to %i bytes is refused', (size) => {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const file = join(folder, 'pages');
  writePages(
    file,
    Array.from({ length: 20 }, (_, at) => pageAt(`/${at}/`)),
  );
  truncateSync(file, size);
  expect(() => openPageFile(file)).toThrow();
});
