import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Service } from '../server/service.ts';

/**
 * Leads whoever goes to `/account` to the page `/account/`, as with every other page, although an endpoint has that path:
 * pages and programs fetch it, which a browser tells apart (Fetch Metadata).
 */
export function redirectToPages(app: FastifyInstance, { pages }: Pick<Service, 'pages'>): void {
  const paths = new Set(pages.filter(({ kind }) => kind !== 'instead').map(({ path }) => path));
  app.addHook('onRequest', (request, reply, done) => {
    if (!isNavigation(request)) return done();
    const path = request.url.split('?', 1)[0] as string;
    if (!paths.has(`${path}/`)) return done();
    const query = request.url.slice(path.length);
    reply.code(308).header('cache-control', 'no-store').header('location', `${path}/${query}`).send();
  });
}

/** A browser too old for Fetch Metadata asks for HTML first where somebody goes. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.authorization === undefined &&
  (headers['sec-fetch-mode'] === 'navigate' ||
    (headers['sec-fetch-mode'] === undefined && headers.accept?.startsWith('text/html') === true));
