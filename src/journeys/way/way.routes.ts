import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../../http/deps.ts';
import { mount } from '../../http/mount.ts';
import type { RedirectRules } from './redirect-rules.ts';
import { readWay, redirectRule, rememberWay } from './way.contract.ts';
import { lastPlace, remember, type WayDeps } from './way.ts';

export interface WayRoutesDeps extends HttpDeps, WayDeps {
  readonly settings: HttpDeps['settings'] & WayDeps['settings'];
  readonly redirectRules: RedirectRules;
}

export function wayRoutes(app: FastifyInstance, deps: WayRoutesDeps): void {
  mount(app, deps, readWay, async ({ signedIn }) => ({ last_place: await lastPlace(deps, signedIn.accountId) }));

  mount(app, deps, rememberWay, ({ body, signedIn }) => remember(deps, signedIn.accountId, body.place));

  mount(app, deps, redirectRule, ({ query }) => {
    const redirect = deps.redirectRules(query.path);
    return redirect === undefined ? {} : { redirect };
  });
}
