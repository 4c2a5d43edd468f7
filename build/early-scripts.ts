import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { minify, type Plugin, transformWithOxc } from 'vite';

/** Scripts that run before the first paint. As modules, they would run only after it. */
export const earlyScripts = {
  early: 'src/browser/platform/early.ts',
  earlyRequests: 'src/browser/platform/early-requests.ts',
} as const;

/** Name of the asset of an early script, before its hash. */
export const earlyAsset = (source: string): string => basename(source).replace(/ts$/, 'js');

/** Emits the early scripts as classic scripts. */
export function emitEarlyScripts(): Plugin {
  return {
    name: 'early-scripts',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle() {
      for (const source of Object.values(earlyScripts)) {
        const script = await transformWithOxc(await readFile(source, 'utf8'), source);
        const { code } = await minify(source, script.code);
        this.emitFile({ type: 'asset', name: earlyAsset(source), source: code });
      }
    },
  };
}
