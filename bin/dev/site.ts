import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import {
  createServer,
  createServerModuleRunner,
  type DevEnvironment,
  type EnvironmentModuleNode,
  type Plugin,
  type ViteDevServer,
} from 'vite';
import { inProject, root } from '../steps/places.mjs';
import type { RenderRequest } from './run-service.ts';

/** The site without a build: pages rendered from source, with hot module replacement. */
export interface Site {
  readonly middlewares: (request: IncomingMessage, response: ServerResponse) => void;
  readonly watcher: ViteDevServer['watcher'];
  render(named: RenderRequest): Promise<Rendered>;
  /** Reloads every open page. */
  reload(): void;
  close(): Promise<void>;
}

interface Rendered {
  readonly html: string;
  readonly payload: string;
  /** Adds the only exception that Vite needs to the page's Content-Security-Policy. */
  policy(own: string): string;
}

const renderer = inProject('src', 'site', 'prerender.tsx');
/** Imports the styles that define the order of the cascade layers. */
const firstStyles = inProject('src', 'site', 'document.tsx');

interface Renderer {
  renderPages(options: object): AsyncIterable<Pick<Rendered, 'html' | 'payload'>>;
}

/** Opens Vite behind a server that also carries its WebSocket, which `connect-src 'self'` covers. */
export async function openSite({ server, dataDir }: { server: Server; dataDir: string }): Promise<Site> {
  const vite = await createServer({
    root,
    plugins: [react(), developmentEntry],
    cacheDir: 'node_modules/.cache/vite',
    clearScreen: false,
    logLevel: 'warn',
    // Vite does not watch a folder that it empties, but must watch the compiled texts in `dist`.
    build: { emptyOutDir: false },
    server: {
      middlewareMode: true,
      hmr: { server },
      watch: { ignored: [`${resolve(root, dataDir)}/**`, inProject('dist', '{client,prerender,test}', '**')] },
      warmup: { clientFiles: ['src/site/entry.tsx', 'src/journeys/*/*.screen.tsx'] },
    },
    // All packages of all screens: a package that Vite discovers late reloads the page.
    optimizeDeps: { entries: ['src/site/*entry.tsx', 'src/**/*.screen.tsx'] },
  });
  const { client, prerender } = vite.environments as Record<string, DevEnvironment>;
  if (!client || !prerender) throw new Error('Vite has no environment "client" or "prerender"');
  const render = openRenderer(prerender, vite.watcher);
  const nonce = randomBytes(16).toString('base64');

  return {
    middlewares: vite.middlewares,
    watcher: vite.watcher,
    async render({ page, language, settings }) {
      const rendered = await render({ page, languages: [language], settings, build: 'development' });
      const styles = await stylesOf({ client, prerender });
      const tags = styles.map(({ file, code }) => `<style nonce="${nonce}" data-vite-dev-id="${file}">${code}</style>`);
      return {
        html: rendered.html.replace(
          '</head>',
          () => `<meta property="csp-nonce" nonce="${nonce}">${tags.join('')}</head>`,
        ),
        payload: rendered.payload,
        policy: (own) => own.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`),
      };
    },
    reload: () => client.hot.send({ type: 'full-reload' }),
    close: () => vite.close(),
  };
}

/**
 * Renders with the current sources, one page at a time: the module cache is cleared only between pages, so that a page
 * never sees two versions of the same module.
 */
function openRenderer(prerender: DevEnvironment, watcher: ViteDevServer['watcher']) {
  const runner = createServerModuleRunner(prerender, { hmr: false });
  let stale = false;
  watcher.on('all', (_event, file) => {
    prerender.moduleGraph.onFileChange(file.replaceAll('\\', '/'));
    stale = true;
  });
  let turn: Promise<unknown> = Promise.resolve();

  async function render(options: object): Promise<Pick<Rendered, 'html' | 'payload'>> {
    if (stale) runner.clearCache();
    stale = false;
    const { renderPages }: Renderer = await runner.import(renderer);
    for await (const page of renderPages(options)) return page;
    throw new Error(`No page was rendered for ${JSON.stringify(options)}`);
  }
  return (options: object) => {
    const rendered = turn.then(() => render(options));
    turn = rendered.catch(() => undefined);
    return rendered;
  };
}

/** The styles of all rendered modules in import order, in the form that Vite's client can replace. */
function stylesOf({ client, prerender }: { client: DevEnvironment; prerender: DevEnvironment }) {
  const found = new Map<string, string>();
  const seen = new Set<EnvironmentModuleNode>();
  const visit = (module: EnvironmentModuleNode) => {
    if (seen.has(module)) return;
    seen.add(module);
    for (const imported of module.importedModules) visit(imported);
    if (module.file?.endsWith('.css')) found.set(module.file, module.url);
  };
  for (const file of [firstStyles, renderer]) prerender.moduleGraph.getModulesByFile(file)?.forEach(visit);
  return Promise.all(
    [...found].map(async ([file, url]) => ({
      file,
      code: (await client.transformRequest(`${url}?direct`))?.code ?? '',
    })),
  );
}

const entries = new Map([
  ['virtual:development-entry', '/src/site/entry.tsx'],
  ['virtual:development-console', '/src/site/console-entry.tsx'],
]);

/** Loaded instead of the entries, because Vite's client and React's refresh runtime must load before them. */
const developmentEntry: Plugin = {
  name: 'development-entry',
  resolveId: (id) => (entries.has(id) ? id : undefined),
  load(id) {
    const entry = entries.get(id);
    return entry === undefined ? undefined : entrySource(entry);
  },
};

/** Without SharedWorker, Vite's client polls the server itself; its worker from a blob would violate the policy. */
const entrySource = (entry: string) => `
  import '/@vite/client';
  import '@vitejs/plugin-react/preamble';
  delete window.SharedWorker;
  await import('${entry}');
`;
