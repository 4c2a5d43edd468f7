import { type ChildProcess, spawn } from 'node:child_process';
import { warnOfMessages, withEnglish } from '../steps/fallback.ts';
import { readCatalogs, writeIds, writeMessages } from '../steps/messages.ts';
import { inProject, pinnedNode, root } from '../steps/places.mjs';
import { forgetBuild } from '../steps/stamp.mjs';

/** The compiled texts, which follow the catalogs. */
export interface Texts {
  /** Compiles the catalogs, and writes `ids.ts` anew. Returns whether a compiled text changed. */
  compile(): boolean;
  close(): void;
}

/** Milliseconds in which an editor has saved every catalog, and the page has loaded. */
const settling = 1000;

/**
 * Shows a text without a translation in English. English that cannot be read leaves the last texts that could be, and
 * prints why.
 */
export function openTexts(): Texts {
  let timer: NodeJS.Timeout | undefined;
  let check: ChildProcess | undefined;
  const close = () => {
    clearTimeout(timer);
    check?.kill();
  };

  return {
    compile() {
      close();
      try {
        const catalogs = readCatalogs();
        const idsChanged = writeIds(catalogs);
        const textsChanged = writeMessages(withEnglish(catalogs));
        // The compiled texts may belong to no commit now; the next `npm start` builds them again.
        if (idsChanged || textsChanged) forgetBuild();
        timer = setTimeout(() => {
          check = warnOfProblems();
        }, settling);
        return textsChanged;
      } catch (problem) {
        warnOfMessages([(problem as Error).message]);
        return false;
      }
    },
    close,
  };
}

/** In a process of its own: the check takes longer than all the rest, and this one renders the pages. */
function warnOfProblems(): ChildProcess {
  const check = spawn(pinnedNode, [inProject('bin', 'steps', 'check-messages.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  check.stderr?.on('data', (text: Buffer) => {
    printed += text;
  });
  check.once('close', (code) => {
    if (code) warnOfMessages(printed.trim().split('\n'));
  });
  return check;
}
