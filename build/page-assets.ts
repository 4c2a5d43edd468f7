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
 * `all-pages.ts`, where each entry of a list imports its screen. The console is one file.
 */
export function pageAssets(): Plugin {
  let early: Omit<BuildAssets, 'pages'> | undefined;
  let pages: readonly PageFiles[] = [];
  return {
    name: 'page-assets',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const { name } = this.environment;
        if (name !== 'client' && name !== 'console') return;
        const files = Object.values(bundle);
        const chunks = files.filter((file) => file.type === 'chunk');
        const chunkOf = (module: string) =>
          chunks.find(({ moduleIds }) => moduleIds.includes(module)) as Rolldown.OutputChunk;
        const screensIn = (list: string) => this.getModuleInfo(resolve(list))?.dynamicallyImportedIds ?? [];
        if (name === 'console') {
          const entry = chunkOf(resolve('src/site/console-entry.tsx'));
          pages = [...pages, ...screensIn('src/site/console-pages.ts').map(() => filesOf([entry], entry))];
          return;
        }
        const entry = chunkOf(resolve('src/site/entry.tsx'));
        const address = (source: string) =>
          `/${files.find((file) => file.type === 'asset' && file.names.includes(earlyAsset(source)))?.fileName}`;
        early = { early: address(earlyScripts.early), earlyRequests: address(earlyScripts.earlyRequests) };
        pages = screensIn('src/site/pages.ts').map((screen) =>
          filesOf(withImports([entry, chunkOf(screen)], bundle), entry),
        );
      },
    },
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : undefined),
    load(id) {
      if (id !== `\0${virtualId}`) return;
      return early ? `export default ${JSON.stringify({ ...early, pages } satisfies BuildAssets)}` : fromSource;
    },
  };
}

/** Without a build (`npm run dev`), the browser imports modules itself, and Vite adds the styles. */
const fromSource = `
  import { allPages } from '/src/site/all-pages.ts';
  export default {
    early: '/${earlyScripts.early}',
    earlyRequests: '/${earlyScripts.earlyRequests}',
    pages: allPages.map(({ operators }) => ({
      entry: operators ? '/@id/virtual:development-console' : '/@id/virtual:development-entry',
      modules: [],
      styles: [],
    })),
  };
`;

const filesOf = (chunks: readonly Rolldown.OutputChunk[], entry: Rolldown.OutputChunk): PageFiles => ({
  entry: `/${entry.fileName}`,
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
