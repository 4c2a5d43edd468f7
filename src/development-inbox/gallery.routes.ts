import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { galleryPolicy } from './inbox-headers.ts';

/** Output of `vite build` for `src/gallery`; no page of the product loads it. */
const built = fileURLToPath(new URL('../../dist/gallery', import.meta.url));

/** Mounts `/dev/gallery/`: every screen and component in every state, in every language. */
export async function galleryRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: built, prefix: '/dev/gallery/assets/', decorateReply: false });
  app.get('/dev/gallery', (_request, reply) => reply.redirect('/dev/gallery/', 308));
  app.get('/dev/gallery/', (_request, reply) =>
    reply
      .header('content-security-policy', galleryPolicy)
      .type('text/html; charset=utf-8')
      .send(documentOf('<link rel="stylesheet" href="/dev/gallery/assets/gallery.css">')),
  );
  // Shown in a frame of the gallery or alone, with the styles of the state's page.
  app.get('/dev/gallery/stage/', (_request, reply) =>
    reply
      .header('content-security-policy', galleryPolicy)
      .header('x-frame-options', 'SAMEORIGIN')
      .type('text/html; charset=utf-8')
      .send(documentOf()),
  );
}

const documentOf = (links = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>Gallery</title>
<link rel="icon" href="data:,">
${links}
<script type="module" src="/dev/gallery/assets/gallery.js"></script>
</head>
<body></body>
</html>
`;
