import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import * as contract from '../contract/health.ts';
import { refuse } from '../contract/refuse.ts';
import type { Service } from '../server/foundation.ts';
import { isKnown, tagOf } from './entity-tags.ts';
import { mountOn } from './mount.ts';
import { openApiDocument } from './openapi/openapi.ts';
import { missingForWork } from './readiness.ts';
import { readViolation } from './telemetry/csp-violation.ts';
import { openViolationLog } from './telemetry/violation-log.ts';

/** What machines ask a service: is it alive, what are its keys, which build is it, and what can it be asked. */
export function healthRoutes(app: FastifyInstance, service: Service, mounted: ReadonlySet<Endpoint>): void {
  const mount = mountOn(app, service);
  const { config, build, keyring } = service;

  mount(contract.alive, () => ({ status: 'alive' as const }));

  mount(contract.ready, async ({ request }) => {
    const missing = await missingForWork(service);
    if (missing.length === 0) return { status: 'ready' as const };
    request.log.warn({ missing }, 'not ready');
    throw refuse(contract.ready, 'try_again_later', { retryAfter: 2 });
  });

  mount(contract.publicKeys, ({ reply }) => {
    // Long enough to spare us, short enough that a new key is known well before it signs.
    reply.header('cache-control', 'public, max-age=300');
    return keyring.jwks;
  });

  mount(contract.changePassword, ({ reply }) => void reply.header('location', '/account/#change-password'));

  mount(contract.latestBuild, ({ reply }) => {
    reply.header('cache-control', 'no-cache');
    return build;
  });

  mount(contract.buildManifest, ({ params, reply }) => {
    if (params.build !== build.id) throw refuse(contract.buildManifest, 'not_found');
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return build;
  });

  const describe = () =>
    openApiDocument([...mounted, contract.pagePayload], {
      title: config.PRODUCT_NAME,
      version: build.id,
      url: config.PUBLIC_URL,
      passwordMinLength: config.PASSWORD_MIN_LENGTH,
    });
  sendDescription(app, describe);
  receiveViolations(app, service.now);
}

/** Written once, when all is mounted: it takes longer than any other answer, and anybody may ask for it. */
function sendDescription(app: FastifyInstance, describe: () => object): void {
  const endpoint = contract.describeApi;
  let description: { readonly text: string; readonly tag: string } | undefined;

  function written() {
    const text = JSON.stringify(describe());
    return { text, tag: tagOf(text) };
  }

  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    handler: (request, reply) => {
      description ??= written();
      reply.header('cache-control', 'no-cache').header('etag', description.tag);
      if (isKnown(request, description.tag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(description.text);
    },
  });
}

const brokenPolicy = 'a page broke the content security policy';

/** Reports of the Content-Security-Policy: logged, cut short, and never answered with anything. */
function receiveViolations(app: FastifyInstance, now: () => number): void {
  const lines = openViolationLog(now);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const types = ['application/csp-report', 'application/reports+json', 'application/json'];
    scope.addContentTypeParser(types, { parseAs: 'string', bodyLimit: 8192 }, (_request, body, done) =>
      done(null, body),
    );
    scope.post('/csp-report', (request, reply) => {
      const violation = readViolation(String(request.body));
      const { isLogged, leftOut } = violation ? lines.admit() : { isLogged: false, leftOut: 0 };
      if (isLogged) request.log.warn({ ...violation, ...(leftOut > 0 && { leftOut }) }, brokenPolicy);
      return reply.code(204).header('cache-control', 'no-store').send();
    });
  });
}
