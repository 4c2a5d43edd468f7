import type { FastifyInstance } from 'fastify';
import { isLoopbackHost } from '../contract/loopback.ts';

/** The sources of this node's requests since it started. */
export type SourcesSeen = ReturnType<typeof openSourcesSeen>;

/** Under a public URL, this many requests from a single source hardly come from one person, but from a proxy. */
const manyRequests = 100;

/**
 * Behind a proxy that does not forward addresses, all visitors look like one and share its rate limits. On a
 * developer's machine, a single source is normal.
 */
export function openSourcesSeen({ PUBLIC_URL }: { PUBLIC_URL: string }) {
  const isPublic = !isLoopbackHost(new URL(PUBLIC_URL).hostname);
  let [first, requests, isOne]: [string | undefined, number, boolean] = [undefined, 0, true];
  return {
    see(source: string): void {
      first ??= source;
      isOne &&= source === first;
      requests += 1;
    },
    /** The source of all requests; undefined if there are several sources, or too few requests to tell. */
    only: (): string | undefined => (isPublic && isOne && requests >= manyRequests ? first : undefined),
  };
}

/** Health checks and similar requests really do come from one address. */
const askedByMachines = /^\/(?:healthz|readyz|\.well-known\/|openapi\.json)/;

/** Counts sources, and warns the operator once if all visitors seem to share one address. */
export function watchSources(app: FastifyInstance, sources: SourcesSeen): void {
  let isReported = false;
  app.addHook('onRequest', ({ url, visitor }, _reply, done) => {
    if (!askedByMachines.test(url)) {
      sources.see(visitor.source);
      const only = sources.only();
      if (only !== undefined && !isReported) {
        isReported = true;
        app.log.warn({ ip: only }, oneAddress);
      }
    }
    done();
  });
}

const oneAddress =
  'all visitors seem to share one address and thus its rate limits: make the proxy send X-Forwarded-For, and list it in TRUSTED_PROXIES';
