import type { FastifyInstance } from 'fastify';
import { readWay, redirectRule, rememberWay } from '../../contract/last-place.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { mountOn } from '../../http/mount.ts';
import { lastPlace, remember, type WayDeps } from './last-place.ts';
import type { RedirectRules } from './redirect-rules.ts';

export interface WayRoutesDeps extends HttpDeps, WayDeps {
  readonly settings: HttpDeps['settings'] & WayDeps['settings'];
  readonly redirectRules: RedirectRules;
}

export function wayRoutes(app: FastifyInstance, deps: WayRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(readWay, async ({ signedIn }) => ({ last_place: await lastPlace(deps, signedIn.accountId) }));

  mount(rememberWay, ({ body, signedIn }) => remember(deps, signedIn.accountId, body.place));

  mount(redirectRule, ({ query }) => {
    const redirect = deps.redirectRules(query.path);
    return redirect === undefined ? {} : { redirect };
  });
}
