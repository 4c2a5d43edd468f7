import { refuse } from '../../contract/failures.ts';
import * as contract from '../../contract/service.ts';
import type { Service } from '../../server/service.ts';
import { damageMetBy, type Store } from '../../store/database.ts';
import { refusalToWrite, tryWriting } from '../../store/database-errors.ts';
import { withinBudget } from '../../store/time-budget.ts';
import type { Mount } from '../mount.ts';

/** Serves the id of the newest build, so that open pages notice a deploy and reload. */
export function buildRoutes(mount: Mount, service: Service): void {
  const { build } = service;

  mount(contract.latestBuild, ({ reply }) => {
    reply.header('cache-control', 'no-cache');
    return build;
  });

  mount(contract.buildManifest, ({ params, reply }) => {
    if (params.build !== build.id) throw refuse(contract.buildManifest, 'not_found');
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return build;
  });
}

/** Liveness and readiness, for load balancers and orchestrators. */
export function healthRoutes(mount: Mount, service: Service): void {
  mount(contract.alive, () => ({ status: 'alive' as const }));

  mount(contract.ready, async ({ request }) => {
    service.draining.noticeCheck();
    const missing = await missingForWork(service);
    if (missing.length === 0) return { status: 'ready' as const };
    request.log.warn({ missing }, 'not ready');
    throw refuse(contract.ready, 'try_again_later', { retryAfter: 2 });
  });
}

/** Names what this node needs and currently lacks; empty if the node is ready. */
async function missingForWork({ store, outbox, draining, now }: Service): Promise<string[]> {
  if (draining.isBegun) return ['this node is stopping'];
  const missing = outbox.usable() ? [] : ['outbox'];
  const refusal = await whyUnwritable(store, now());
  return refusal === undefined ? missing : [...missing, refusal];
}

const trials = new WeakMap<Store, Promise<string | undefined>>();

/** Why the database accepts no writes; undefined if it does. Concurrent calls share a trial, because each costs a durable commit. */
export function whyUnwritable(store: Store, now: number): Promise<string | undefined> {
  // Damage stays until a backup is restored, and other pages may still accept writes.
  if (damageMetBy(store) !== undefined) return Promise.resolve('database: damaged');
  const running = trials.get(store);
  if (running) return running;
  const trial = withinBudget(() => tryWriting(store, now))
    .then(() => undefined, refusalToWrite)
    .finally(() => trials.delete(store));
  trials.set(store, trial);
  return trial;
}

/** Publishes the public keys that verify access tokens, as a JSON Web Key Set (JWKS; RFC 7517, section 5). */
export function jwksRoute(mount: Mount, service: Service): void {
  const { keyring } = service;

  mount(contract.publicKeys, ({ reply }) => {
    // Apps in browsers verify ID tokens themselves.
    reply.header('access-control-allow-origin', '*');
    return keyring.jwks;
  });
}

/**
 * Redirects password managers to the page that changes a password (W3C, "A Well-Known URL for Changing Passwords"), and
 * lists related origins for browsers.
 */
export function wellKnownRoutes(mount: Mount, service: Service): void {
  mount(contract.changePassword, ({ reply }) => void reply.header('location', '/account/security/#change-password'));

  const { relyingParty, WEBAUTHN_RELATED_ORIGINS } = service.config;
  if (relyingParty && WEBAUTHN_RELATED_ORIGINS.length > 0)
    mount(contract.relatedOrigins, () => ({ origins: [...relyingParty.origins] }));
}
