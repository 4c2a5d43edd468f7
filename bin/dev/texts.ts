import { type ChildProcess, spawn } from 'node:child_process';
import { readCatalogs, warnOfMessages, withEnglish, writeIds, writeMessages } from '../steps/messages.ts';
import { inProject, pinnedNode, root } from '../steps/places.mjs';
import { forgetBuild } from '../steps/setup.mjs';

/** Keeps the compiled texts up to date with the catalogs. */
export interface Texts {
  /** Compiles the catalogs and updates `ids.ts`. Returns whether a compiled text changed. */
  compile(): boolean;
  close(): void;
}

/** Milliseconds within which an editor saves every catalog and the page loads. */
const settling = 1000;

/**
 * Shows texts without a translation in English. If the English catalog is unreadable, keeps the last compiled texts and
 * prints the reason.
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
        // The compiled texts no longer match the build; the next `npm start` rebuilds.
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

/** In a separate process: the check takes longer than everything else, and this process renders the pages. */
function warnOfProblems(): ChildProcess {
  const check = spawn(pinnedNode, [inProject('bin', 'steps', 'messages.ts')], {
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
