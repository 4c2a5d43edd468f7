import { readLastPlace, redirectRule, rememberLastPlace } from '../../contract/last-place.ts';
import type { Mount } from '../../http/mount.ts';
import type { Service } from '../../server/service.ts';
import { lastPlace, remember } from './last-place.ts';

export function lastPlaceRoutes(mount: Mount, service: Service): void {
  mount(readLastPlace, async ({ signedIn, query }) => ({
    last_place: await lastPlace(service, { account: signedIn.account, language: query.locale }),
  }));

  mount(rememberLastPlace, ({ body, signedIn }) => remember(service, signedIn.accountId, body.place));

  mount(redirectRule, ({ query }) => {
    const redirect = service.redirectRules(query.path);
    return redirect === undefined ? {} : { redirect };
  });
}
