import type { FastifyInstance } from 'fastify';
import { readAccount } from '../../contract/account.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { mountOn } from '../../http/mount.ts';
import { describeAccount } from './account.ts';

export function accountRoutes(app: FastifyInstance, deps: HttpDeps): void {
  const mount = mountOn(app, deps);

  mount(readAccount, ({ signedIn }) => describeAccount(deps, signedIn.accountId));
}
