import type { Mount } from '../../http/mount.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './push.contract.ts';
import { describePush, forgetPush, keepPush } from './push.ts';

export function pushRoutes(mount: Mount, service: Service): void {
  mount(contract.readPush, ({ signedIn: { accountId } }) => describePush(service, accountId));

  mount.change(
    contract.keepPush,
    { limit: service.changesOfAccount },
    (trx, { accountId, sessionId, at }, { body, visitor }) =>
      keepPush(service, trx, { ...body, accountId, sessionId, at, userAgent: visitor.userAgent }),
  );

  mount.change(contract.forgetPush, {}, (trx, { accountId, at }, { params: { id } }) =>
    forgetPush(trx, { id, accountId, at }),
  );
}
