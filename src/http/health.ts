import type { FastifyInstance } from 'fastify';
import { Failure } from '../contract/failures.ts';
import type { Service } from '../server/foundation.ts';
import { readViolation } from './csp-violation.ts';
import { sendProblem } from './problems.ts';
import { missingForWork } from './readiness.ts';

/** What machines ask a service: is it alive, what are its keys, which build is it. */
export function healthRoutes(app: FastifyInstance, service: Service): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'alive' };
  });

  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const missing = await missingForWork(service);
    if (missing.length === 0) return { status: 'ready' };
    request.log.warn({ missing }, 'not ready');
    return reply.code(503).header('retry-after', '2').send({ status: 'not ready', missing });
  });

  app.get('/.well-known/jwks.json', async (_request, reply) => {
    // Long enough to spare us, short enough that a new key is known well before it signs.
    reply.header('cache-control', 'public, max-age=300');
    return service.keyring.jwks;
  });

  app.get('/.well-known/change-password', (_request, reply) => reply.redirect('/recovery/', 302));

  app.get('/builds/latest.json', async (_request, reply) => {
    reply.header('cache-control', 'no-cache');
    return { id: service.build.id };
  });

  app.get<{ Params: { file: string } }>('/builds/meta/:file', async (request, reply) => {
    if (request.params.file !== `${service.build.id}.json`) return sendProblem(reply, new Failure('not_found'));
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return service.build;
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
