import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { days } from '../../contract/units.ts';

/** Files that browsers and search engines request by fixed names; they show the mark of `ui/layouts/frame.tsx`. */
const icons = [
  { name: 'favicon.ico', type: 'image/x-icon' },
  { name: 'apple-touch-icon.png', type: 'image/png' },
  { name: 'apple-touch-icon-precomposed.png', type: 'image/png', file: 'apple-touch-icon.png' },
  { name: 'icon-192.png', type: 'image/png' },
  { name: 'icon-512.png', type: 'image/png' },
] as const;

/** Serves the mark for bookmarks, home screens, and tabs that show something other than a page. */
export function serveIcons(app: FastifyInstance): void {
  for (const { name, type, ...icon } of icons) {
    const image = readFileSync(join(import.meta.dirname, 'icons', 'file' in icon ? icon.file : name));
    app.get(`/${name}`, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', `public, max-age=${days(7) / 1000}`)
        .send(image),
    );
  }
}
