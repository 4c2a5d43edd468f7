import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { brand } from '../../../contract/brand.ts';
import { type LanguageCode, languageOf, languages, pathIn } from '../../../contract/languages.ts';
import { manifestPath } from '../../../contract/pages.ts';
import { decompress } from '../../../http/responses/compression.ts';
import type { Service } from '../../../server/service.ts';

/** Serves what makes the pages an app that a phone can install: a manifest for each language, and the worker of the app. */
export function phoneRoutes(app: FastifyInstance, { config, pages }: Pick<Service, 'config' | 'pages'>): void {
  for (const { code } of languages) {
    app.get(pathIn(code, manifestPath), (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('application/manifest+json').send(manifestIn(code)),
    );
  }

  const worker = readFileSync(join(import.meta.dirname, 'phone-worker.client.js'));
  app.get('/phone-worker.js', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript').send(worker),
  );

  /** Web Application Manifest (W3C). All languages are one app: they have the same `id`. */
  function manifestIn(code: LanguageCode): string {
    const { tag, dir } = languageOf(code);
    const start = pages.find(({ page, language }) => page === 'dashboard' && language === code);
    const { head } = start ? JSON.parse(decompress(start.payload).toString()) : { head: {} };
    return JSON.stringify({
      id: '/',
      name: config.PRODUCT_NAME,
      short_name: config.PRODUCT_NAME,
      description: head.description,
      ...{ lang: tag, dir },
      start_url: pathIn(code, '/dashboard/'),
      scope: '/',
      display: 'standalone',
      ...{ theme_color: brand.fill, background_color: brand.surface },
      icons: [
        { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
        { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    });
  }
}
