import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
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

/**
 * Replaces Vite's wrapper around `import()`: fetches the files of a part before importing it. Browsers cache a failed
 * import for the life of the page, so a visitor who was offline at that moment could never retry. The styles of a
 * screen are listed in its payload, and React waits for them; the styles of a part are linked here before it renders.
 */
export function fetchBeforeImport(): Plugin {
  return {
    name: 'fetch-before-import',
    enforce: 'pre',
    load: (id) => (id === '\0vite/preload-helper.js' ? helper : undefined),
  };
}

/**
 * Skips files that the page itself links. Vite passes the other files of a part in `files`; the part's own file is
 * only in the `import()` itself.
 */
const helper = `
const fetched = new Map();
const linked = (file) => document.querySelector('[href="/' + file + '"], [src="/' + file + '"]');
const fetchOnce = (file) => {
  if (fetched.has(file) || linked(file)) return fetched.get(file);
  const fetching = fetch('/' + file).then(({ ok }) => ok || Promise.reject()).catch(() => {
    fetched.delete(file);
    throw new TypeError('nothing to import: ' + file);
  });
  fetched.set(file, fetching);
  return fetching;
};
const style = (file) => /css$/.test(file) && !linked(file) && new Promise((onload) =>
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/' + file, onload, onerror: onload })));
export const __vitePreload = (load, files = []) => {
  const part = /\\.\\/([\\w.-]+\\.js)/.exec(load);
  return Promise.all([...files, ...(part ? ['assets/' + part[1]] : [])].map(fetchOnce))
    .then(() => /\\.screen-/.test(load) || Promise.all(files.map(style)))
    .then(load);
};
`;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Writes a `.br` and a `.gz` for each asset, so that the server never compresses assets. */
export async function compressAssets(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const content = await readFile(file);
    await writeFile(`${file}.br`, await brotli(content));
    await writeFile(`${file}.gz`, await zip(content, { level: 9 }));
  }
}

/** Writes the size of each asset, so that the server refuses to start with a truncated one. */
export async function writeAssetSizes(client: string): Promise<void> {
  const folder = join(client, 'assets');
  const sizes = (await readdir(folder)).sort().map(async (name) => [name, (await stat(join(folder, name))).size]);
  await writeFile(
    join(client, 'asset-sizes.json'),
    `${JSON.stringify(Object.fromEntries(await Promise.all(sizes)))}\n`,
  );
}

/** Derives the build id from the content: equal sources have equal ids on every machine. */
export async function writeBuildId(dist: string): Promise<void> {
  const hash = createHash('sha256');
  // The names of client assets contain their hashes; the prerenderer contains all texts.
  for (const name of (await readdir(join(dist, 'client', 'assets'))).sort()) hash.update(name);
  hash.update(await readFile(join(dist, 'prerender', 'prerender.js')));
  const build = { id: hash.digest('hex').slice(0, 12), timestamp: Date.now(), commit: commitOf() };
  await writeFile(join(dist, 'client', 'build.json'), `${JSON.stringify(build)}\n`);
}

/** The commit of the sources, with `-dirty` if they differ from it; `COMMIT` where there is no git, as in a container. */
function commitOf(): string {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=12'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : (process.env.COMMIT ?? '');
}
