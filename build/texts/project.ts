import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openTexts, type PageTextsResult } from './page-texts.ts';

/** The frame around the screen of every page. */
const entry = 'src/site/entry.tsx';
/** Uses the texts of emails and calls. */
const server = 'src/server/server.ts';

/** The messages that each page can show, in the order of `pages.ts`, and those that neither pages nor the server use. */
export async function readProject(root: string, ids: readonly string[]) {
  const load = (path: string) => import(pathToFileURL(join(root, path)).href);
  const texts = openTexts({ ids: new Set(ids), load, read: (path) => readFileSync(join(root, path), 'utf8') });
  const pages: readonly PageTextsResult[] = await Promise.all(
    texts.screens().map((screen) => texts.page(entry, screen)),
  );
  const { pages: routes }: { pages: readonly { head: string }[] } = await load('src/site/pages.ts');
  const shown = new Set([
    ...pages.flatMap((page) => page.texts),
    ...texts.program(server),
    ...routes.flatMap(({ head }) => [`${head}.page`, `${head}.description`]),
  ]);
  return {
    pages: pages.map((page) => page.texts),
    problems: [...new Set(pages.flatMap((page) => page.problems))],
    unused: ids.filter((id) => !shown.has(id)),
  };
}
