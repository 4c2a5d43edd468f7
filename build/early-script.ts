import { readFile } from 'node:fs/promises';
import { minify, type Plugin, transformWithOxc } from 'vite';

const source = 'src/browser/platform/early.ts';

/** Emits `early.ts` as a classic script: as a module, it would run only after the first paint. */
export function earlyScript(): Plugin {
  return {
    name: 'early-script',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle() {
      const script = await transformWithOxc(await readFile(source, 'utf8'), source);
      const { code } = await minify(source, script.code);
      this.emitFile({ type: 'asset', name: 'early.js', source: code });
    },
  };
}
