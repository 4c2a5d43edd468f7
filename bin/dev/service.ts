// The service for `npm run dev`: it responds to page requests with render requests, and `dev.ts` renders the pages.
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { referencePlaceholder } from '../../src/contract/failures.ts';
import { languages, pathIn } from '../../src/contract/languages.ts';
import type { Page } from '../../src/http/pages/page.ts';
import { compress } from '../../src/http/responses/compression.ts';
import { forgetCatalogs } from '../../src/messages/compiled-catalogs.ts';
import { openApp } from '../../src/server/app.ts';
import { openService } from '../../src/server/open-service.ts';
import { readConfig } from '../../src/server/settings/config.ts';
import { readEnvironment } from '../../src/server/settings/environment.ts';
import { inProject } from '../steps/places.mjs';
import { type Heard, type RenderRequest, rendered } from './run-service.ts';

// Imported by URL, because the types of screens and browsers do not belong in a Node program.
const {
  allPages,
  kindOf,
}: { allPages: readonly { name: string; path: string }[]; kindOf(page: object): Page['kind'] } = await import(
  pathToFileURL(inProject('src', 'site', 'all-pages.ts')).href
);

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
process.send?.((app.server.address() as AddressInfo).port);

const stop = async () => {
  app.server.closeAllConnections();
  await app.close();
  await service.close();
  process.exit();
};
process.once('SIGTERM', stop);
process.once('disconnect', stop);
