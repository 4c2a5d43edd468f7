import { setImmediate } from 'node:timers';
import type { Catalog } from '../../src/messages/catalog.ts';
import { messageProblems, readCatalogs, writeIds, writeMessages } from '../steps/messages.ts';
import { forgetBuild } from '../steps/stamp.mjs';

/**
 * Compiles the catalogs, and writes `ids.ts` anew. What is not translated yet is shown in English; what is wrong is
 * said, and leaves the last texts that were right.
 */
export function compileTexts(): void {
  try {
    const catalogs = readCatalogs();
    const idsChanged = writeIds(catalogs);
    const textsChanged = writeMessages(withEnglish(catalogs));
    // What is in `dist` now may belong to no commit; the next `npm start` builds it again.
    if (idsChanged || textsChanged) forgetBuild();
    // Slower than everything above, and nobody waits for it.
    setImmediate(() => warn(messageProblems(catalogs)));
  } catch (problem) {
    warn([(problem as Error).message]);
  }
}

function withEnglish(catalogs: ReadonlyMap<string, Catalog>): Map<string, Catalog> {
  const english = catalogs.get('en')?.entries ?? [];
  return new Map(
    [...catalogs].map(([language, catalog]) => {
      const translated = new Map(catalog.entries.map((entry) => [entry.id, entry]));
      const entries = english.map((entry) => {
        const own = translated.get(entry.id);
        return own?.text ? own : entry;
      });
      return [language, { ...catalog, entries }];
    }),
  );
}

const linesShown = 10;

function warn(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - linesShown;
  console.warn(
    ['Messages:', ...problems.slice(0, linesShown), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n  '),
  );
}
