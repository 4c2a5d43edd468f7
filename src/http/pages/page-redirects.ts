import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Service } from '../../server/service.ts';

/**
 * Redirects navigations from `/account` to the page `/account/`, as for every other page, although an endpoint has that
 * path. Fetch Metadata distinguishes navigations from the requests of scripts.
 */
export function redirectToPages(app: FastifyInstance, { pages }: Pick<Service, 'pages'>): void {
  const paths = new Set(pages.filter(({ kind }) => kind === 'open' || kind === 'account').map(({ path }) => path));
  app.addHook('onRequest', (request, reply, done) => {
    if (!isNavigation(request)) return done();
    const path = request.url.split('?', 1)[0] as string;
    if (!paths.has(`${path}/`)) return done();
    const query = request.url.slice(path.length);
    reply.code(308).header('cache-control', 'no-store').header('location', `${path}/${query}`).send();
  });
}

/** A browser without Fetch Metadata accepts HTML first when it navigates. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.authorization === undefined &&
  (headers['sec-fetch-mode'] === 'navigate' ||
    (headers['sec-fetch-mode'] === undefined && headers.accept?.startsWith('text/html') === true));
