import { resolve } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import type { BuildAssets, PageFiles } from '../src/site/page-assets.ts';
import { earlyAsset, earlyScripts } from './early-scripts.ts';

const virtualId = 'virtual:build-assets';

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
          pages: screens.map((screen) => {
            const own = chunkOf(screen);
            const needed = withImports([entry, own], bundle);
            const requests = withImports(requestsOf(needed, bundle), bundle).filter((chunk) => !needed.includes(chunk));
            const { modules, styles } = filesOf(needed);
            return {
              screen: `/${own.fileName}`,
              modules: modules.filter((file) => file !== `/${entry.fileName}`),
              styles,
              requests: filesOf(requests),
            };
          }),
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
    pages: pages.map(() => ({ modules: [], styles: [], requests: { modules: [], styles: [] } })),
  };
`;

const filesOf = (chunks: readonly Rolldown.OutputChunk[]): PageFiles => ({
  modules: chunks.map(({ fileName }) => `/${fileName}`),
  styles: chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])].map((file) => `/${file}`)),
});

/** Modules that any request to the service needs, and the shared contracts. */
const requestModules = /\/src\/(?:browser\/requests\/send-signed-in|contract\/(?:(?!fields\/)[\w-]+\/)?[\w-]+)\.ts$/;

/** The chunks that `chunks` import on demand to send requests. */
const requestsOf = (chunks: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle) =>
  [...new Set(chunks.flatMap(({ dynamicImports }) => dynamicImports))]
    .map((file) => bundle[file] as Rolldown.OutputChunk)
    .filter(({ facadeModuleId }) => requestModules.test(facadeModuleId ?? ''));

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
