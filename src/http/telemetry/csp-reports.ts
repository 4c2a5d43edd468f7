import type { FastifyInstance } from 'fastify';
import { readViolation } from './csp-violation.ts';
import { openViolationLog } from './violation-log.ts';

const brokenPolicy = 'a page violated the Content-Security-Policy';

/** Accepts reports of the Content-Security-Policy: logs them, shortened and rate-limited; always responds with 204. */
export function cspReportRoute(app: FastifyInstance, now: () => number): void {
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
