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
import type { RenderRequest } from './named.ts';

/** The site without a build: pages rendered from source, modules that are replaced in the open page. */
export interface Site {
  readonly middlewares: (request: IncomingMessage, response: ServerResponse) => void;
  readonly watcher: ViteDevServer['watcher'];
  render(named: RenderRequest): Promise<Rendered>;
  /** Loads every open page anew. */
  reload(): void;
  close(): Promise<void>;
}

interface Rendered {
  readonly html: string;
  readonly payload: string;
  /** The page's own Content-Security-Policy, with the one exception that Vite needs. */
  policy(own: string): string;
}

const renderer = inProject('src', 'site', 'prerender.tsx');
/** Imports the styles that decide the order of the layers. */
const firstStyles = inProject('src', 'site', 'document.tsx');

interface Renderer {
  renderPages(options: object): AsyncIterable<Pick<Rendered, 'html' | 'payload'>>;
}

/** Opens Vite behind a server that carries its WebSocket too: `connect-src 'self'` covers that. */
export async function openSite({ server, dataDir }: { server: Server; dataDir: string }): Promise<Site> {
  const vite = await createServer({
    root,
    plugins: [react(), developmentEntry],
    cacheDir: 'node_modules/.cache/vite',
    envDir: false,
    clearScreen: false,
    logLevel: 'warn',
    // Vite watches no folder that it would empty, and the compiled texts are in `dist`.
    build: { emptyOutDir: false },
    server: {
      middlewareMode: true,
      hmr: { server },
      watch: { ignored: [`${resolve(root, dataDir)}/**`, inProject('dist', '{client,prerender,test}', '**')] },
      warmup: { clientFiles: ['src/site/entry.tsx', 'src/journeys/*/*.screen.tsx'] },
    },
    // Every package that any screen asks for: one that is found late reloads the page.
    optimizeDeps: { entries: ['src/site/entry.tsx', 'src/**/*.screen.tsx'] },
  });
  const { client, prerender } = vite.environments as Record<string, DevEnvironment>;
  if (!client || !prerender) throw new Error('Vite knows no prerenderer');
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
 * Renders with the sources of the moment, a page at a time: modules are forgotten between two pages, never during one,
 * which would otherwise meet two versions of the same module.
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
    throw new Error(`Nothing was rendered: ${JSON.stringify(options)}`);
  }
  return (options: object) => {
    const rendered = turn.then(() => render(options));
    turn = rendered.catch(() => undefined);
    return rendered;
  };
}

/** The styles of all that is rendered, in the order of their imports, as Vite's client knows and replaces them. */
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

const entry = 'virtual:development-entry';

/** What a page loads instead of `entry.tsx`: Vite's client and React's replacement of modules have to be there before. */
const developmentEntry: Plugin = {
  name: 'development-entry',
  resolveId: (id) => (id === entry ? id : undefined),
  load: (id) => (id === entry ? entrySource : undefined),
};

/** Without workers Vite's client asks by itself whether it may reconnect; one made of a string breaks the policy. */
const entrySource = `
  import '/@vite/client';
  import '@vitejs/plugin-react/preamble';
  delete window.SharedWorker;
  await import('/src/site/entry.tsx');
`;
