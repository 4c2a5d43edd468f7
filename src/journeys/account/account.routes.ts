import type { FastifyInstance } from 'fastify';
import { confirmEmail as confirmEmailContract, readAccount } from '../../contract/account.ts';
import { mountOn } from '../../http/mount.ts';
import type { Service } from '../../server/foundation.ts';
import { describeAccount } from './account.ts';
import { confirmEmail } from './confirm-email.ts';

export function accountRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(readAccount, ({ signedIn }) => describeAccount(service, signedIn.accountId));

  mount(confirmEmailContract, ({ signedIn, body }) =>
    confirmEmail(service, { accountId: signedIn.accountId, hash: body.hash }),
  );
}
