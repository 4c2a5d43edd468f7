import type { FastifyInstance } from 'fastify';
import { Failure } from '../contract/failures.ts';
import { readViolation } from './csp-violation.ts';
import { sendProblem } from './problems.ts';
import { missingForWork, type ReadinessDeps } from './readiness.ts';

export interface ServiceDeps extends ReadinessDeps {
  readonly keyring: { readonly jwks: { readonly keys: readonly object[] } };
  readonly build: { readonly id: string; readonly timestamp: number };
}

/** What machines ask a service: is it alive, what are its keys, which build is it. */
export function serviceRoutes(app: FastifyInstance, deps: ServiceDeps): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'alive' };
  });

  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const missing = await missingForWork(deps);
    if (missing.length === 0) return { status: 'ready' };
    request.log.warn({ missing }, 'not ready');
    return reply.code(503).header('retry-after', '2').send({ status: 'not ready', missing });
  });

  app.get('/.well-known/jwks.json', async (_request, reply) => {
    // Long enough to spare us, short enough that a new key is known well before it signs.
    reply.header('cache-control', 'public, max-age=300');
    return deps.keyring.jwks;
  });

  app.get('/.well-known/change-password', (_request, reply) => reply.redirect('/recovery/', 302));

  app.get('/builds/latest.json', async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
    return { id: deps.build.id };
  });

  app.get<{ Params: { file: string } }>('/builds/meta/:file', async (request, reply) => {
    if (request.params.file !== `${deps.build.id}.json`) return sendProblem(reply, new Failure('not_found'));
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return deps.build;
  });

  app.get('/openapi.json', async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
    return app.swagger();
  });

  receiveViolations(app);
}

/** Reports of the Content-Security-Policy: logged, cut short, and never answered with anything. */
function receiveViolations(app: FastifyInstance): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const types = ['application/csp-report', 'application/reports+json', 'application/json'];
    scope.addContentTypeParser(types, { parseAs: 'string', bodyLimit: 8192 }, (_request, body, done) =>
      done(null, body),
    );
    scope.post('/csp-report', (request, reply) => {
      request.log.warn(readViolation(String(request.body)), 'a page broke the content security policy');
      return reply.code(204).send();
    });
  });
}
