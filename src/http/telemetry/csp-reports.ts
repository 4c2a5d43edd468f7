import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import { minutes } from '../../contract/units.ts';

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

/** The parts of a report that may be logged. */
interface Violation {
  readonly directive: string;
  readonly blocked: string;
}

const text = z.catch(z.optional(z.string()), undefined);
const older = z.object({
  'csp-report': z.object({ 'effective-directive': text, 'violated-directive': text, 'blocked-uri': text }),
});
const newer = z.object({ body: z.object({ effectiveDirective: text, blockedURL: text }) });
const report = z.union([
  z.pipe(
    older,
    z.transform(({ 'csp-report': said }) => ({
      directive: said['effective-directive'] ?? said['violated-directive'],
      blocked: said['blocked-uri'],
    })),
  ),
  z.pipe(
    newer,
    z.transform(({ body }) => ({ directive: body.effectiveDirective, blocked: body.blockedURL })),
  ),
]);

/**
 * Reads a report of a Content-Security-Policy violation (CSP Level 3, section 5.3; the older and the newer form);
 * undefined for anything else. Anyone can send one, and the page may be that of a reset link, so it keeps only the
 * origins of URLs.
 */
export function readViolation(body: string): Violation | undefined {
  const { data } = report.safeParse(firstOf(body));
  return (
    data && {
      directive: /^[a-z-]{1,40}(?=\s|$)/.exec(data.directive ?? '')?.[0] ?? '',
      blocked: originOf(data.blocked ?? ''),
    }
  );
}

function firstOf(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return Array.isArray(parsed) ? parsed[0] : parsed;
  } catch {
    return undefined;
  }
}

/** The keywords that a report has instead of a URL (section 5.2), and schemes. */
const word = /^[a-z-]{1,30}$/;

function originOf(address: string): string {
  if (word.test(address)) return address;
  const { origin = '', protocol = '' } = URL.parse(address.slice(0, 2000)) ?? {};
  return origin === 'null' ? protocol : origin;
}

const linesAMinute = 10;

/** Limits the lines that reports write: anyone can send any number of them. `now` in milliseconds. */
export function openViolationLog(now: () => number) {
  let minute = 0;
  let lines = 0;
  let leftOut = 0;
  return {
    /** Whether a report may be logged, and how many were left out since the last one that was. */
    admit(): { readonly isLogged: boolean; readonly leftOut: number } {
      const current = Math.floor(now() / minutes(1));
      if (current !== minute) [minute, lines] = [current, 0];
      lines += 1;
      if (lines > linesAMinute) {
        leftOut += 1;
        return { isLogged: false, leftOut };
      }
      const before = leftOut;
      leftOut = 0;
      return { isLogged: true, leftOut: before };
    },
  };
}
