import type { FastifyInstance } from 'fastify';
import { isLoopbackHost } from '../contract/loopback.ts';

/** Where this node's requests have come from since it started. */
export interface SourcesSeen {
  see(source: string): void;
  /** The one address that all of many requests came from; undefined where there are more, or too few to tell. */
  only(): string | undefined;
}

/** So many requests of one person look like a proxy's; more than that are hardly one's under a public address. */
const manyRequests = 100;

/**
 * A proxy that does not say for whom it asks makes everybody one visitor: limits for one address then hold for all
 * people together. On a developer's machine one address is right.
 */
export function openSourcesSeen({ PUBLIC_URL }: { PUBLIC_URL: string }): SourcesSeen {
  const isPublic = !isLoopbackHost(new URL(PUBLIC_URL).hostname);
  let [first, requests, isOne]: [string | undefined, number, boolean] = [undefined, 0, true];
  return {
    see(source) {
      first ??= source;
      isOne &&= source === first;
      requests += 1;
    },
    only: () => (isPublic && isOne && requests >= manyRequests ? first : undefined),
  };
}

/** Machines that ask whether a node is well come from one address indeed. */
const askedByMachines = /^\/(?:healthz|readyz|\.well-known\/|openapi\.json)/;

/** Counts visitors, and tells the operator once when all of them seem to be one. */
export function watchSources(app: FastifyInstance, sources: SourcesSeen): void {
  let isTold = false;
  app.addHook('onRequest', ({ url, visitor }, _reply, done) => {
    if (!askedByMachines.test(url)) {
      sources.see(visitor.source);
      const only = sources.only();
      if (only !== undefined && !isTold) {
        isTold = true;
        app.log.warn({ ip: only }, oneAddress);
      }
    }
    done();
  });
}

const oneAddress =
  'every visitor seems to come from one address, so limits for one hold for all: let the proxy send X-Forwarded-For, and name it in TRUSTED_PROXIES';
