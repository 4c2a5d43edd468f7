// The service for `npm run dev`: it responds to page requests with render requests, and `front.ts` renders the pages.
import { mkdirSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '../../src/http/pages/page.ts';
import { inProject } from '../steps/places.mjs';
import { type Heard, type RenderRequest, rendered, type ServiceMessage } from './run-service.ts';

const report = (message: ServiceMessage) => process.send?.(message);

enableCompileCache(inProject('node_modules', '.cache', 'compiled'));
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (found.url.startsWith('file:') && !found.url.includes('/node_modules/')) report({ loaded: found.url });
    return found;
  },
});

// Imported after the hook is registered, so that it sees all their imports.
const { readConfig } = await import('../../src/server/settings/config.ts');
const { readEnvironment } = await import('../../src/server/settings/environment.ts');
const { openService } = await import('../../src/server/open-service.ts');
const { openApp } = await import('../../src/server/app.ts');
// Imported by URL, because the types of screens and browsers do not belong in a Node program.
const site = (file: string) => import(pathToFileURL(inProject('src', 'site', file)).href);
const { allPages }: { allPages: readonly { name: string; path: string }[] } = await site('all-pages.ts');
const { kindOf }: { kindOf(page: object): Page['kind'] } = await site('page-kind.ts');
const { languages, pathIn } = await import('../../src/contract/languages.ts');
const { referencePlaceholder } = await import('../../src/contract/failures.ts');
const { compress } = await import('../../src/http/responses/compression.ts');
const { forgetCatalogs } = await import('../../src/messages/compiled-catalogs.ts');

process.on('message', (heard: Heard) => {
  if (heard === 'texts') forgetCatalogs();
});

const config = readConfig(readEnvironment());
const assets = join(config.DATA_DIR, 'assets');
mkdirSync(assets, { recursive: true, mode: 0o700 });
const service = await openService({
  config,
  openSite: async (settings) => ({
    build: { id: 'development', timestamp: Date.now() },
    assets: [assets],
    pages: languages.flatMap(({ code: language }) =>
      allPages.map((one) => {
        const { name: page, path } = one;
        const named = (part: RenderRequest['part']) => {
          const instead: RenderRequest = { rendered, part, page, language, settings, reference: referencePlaceholder };
          return compress(JSON.stringify(instead));
        };
        const address = { page, path: pathIn(language, path), kind: kindOf(one), language };
        return { ...address, html: named('html'), payload: named('payload') };
      }),
    ),
  }),
});
const app = await openApp(service);
await app.listen({ host: '127.0.0.1', port: 0 });
report({ listening: (app.server.address() as AddressInfo).port });

const stop = async () => {
  app.server.closeAllConnections();
  await app.close();
  await service.close();
  process.exit();
};
process.once('SIGTERM', stop);
process.once('disconnect', stop);
