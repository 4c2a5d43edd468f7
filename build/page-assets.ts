import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { minify, type Plugin, type Rolldown, transformWithOxc } from 'vite';
import type { BuildAssets, PageFiles } from '../src/site/page-assets.ts';

const virtualId = 'virtual:build-assets';

/** Scripts that run before the first paint. As modules, they would run only after it. */
const earlyScripts = {
  early: 'src/browser/platform/early.ts',
  earlyRequests: 'src/browser/platform/early-requests.ts',
} as const;

/** Name of the asset of an early script, before its hash. */
const earlyAsset = (source: string): string => basename(source).replace(/ts$/, 'js');

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

/**
 * Provides the prerenderer with the scripts and styles of each page: `virtual:build-assets` lists them in the order of
 * `pages.ts`, where each entry imports its screen.
 */
export function pageAssets(): Plugin {
  let assets: BuildAssets | undefined;
  return {
    name: 'page-assets',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        if (this.environment.name !== 'client') return;
        const files = Object.values(bundle);
        const chunks = files.filter((file) => file.type === 'chunk');
        const chunkOf = (module: string) =>
          chunks.find(({ moduleIds }) => moduleIds.includes(module)) as Rolldown.OutputChunk;
        const entry = chunkOf(resolve('src/site/entry.tsx'));
        const early = (source: string) =>
          `/${files.find((file) => file.type === 'asset' && file.names.includes(earlyAsset(source)))?.fileName}`;
        const screens = this.getModuleInfo(resolve('src/site/pages.ts'))?.dynamicallyImportedIds ?? [];
        assets = {
          early: early(earlyScripts.early),
          earlyRequests: early(earlyScripts.earlyRequests),
          entry: `/${entry.fileName}`,
          pages: screens.map((screen) => filesOf(withImports([entry, chunkOf(screen)], bundle), entry)),
        };
      },
    },
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : undefined),
    load(id) {
      if (id !== `\0${virtualId}`) return;
      return assets ? `export default ${JSON.stringify(assets)}` : fromSource;
    },
  };
}

/** Without a build (`npm run dev`), the browser imports modules itself, and Vite adds the styles. */
const fromSource = `
  import { pages } from '/src/site/pages.ts';
  export default {
    early: '/${earlyScripts.early}',
    earlyRequests: '/${earlyScripts.earlyRequests}',
    entry: '/@id/virtual:development-entry',
    pages: pages.map(() => ({ modules: [], styles: [] })),
  };
`;

const filesOf = (chunks: readonly Rolldown.OutputChunk[], entry: Rolldown.OutputChunk): PageFiles => ({
  modules: chunks.filter((chunk) => chunk !== entry).map(({ fileName }) => `/${fileName}`),
  styles: chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])].map((file) => `/${file}`)),
});

/** The chunks and everything that they import, dependencies first. */
function withImports(chunks: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const found = new Map<string, Rolldown.OutputChunk>();
  const begun = new Set<string>();
  const visit = (chunk: Rolldown.OutputChunk) => {
    if (begun.has(chunk.fileName)) return;
    begun.add(chunk.fileName);
    for (const file of chunk.imports) visit(bundle[file] as Rolldown.OutputChunk);
    found.set(chunk.fileName, chunk);
  };
  for (const chunk of chunks) visit(chunk);
  return [...found.values()];
}
