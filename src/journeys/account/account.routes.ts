import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../../http/deps.ts';
import { mount } from '../../http/mount.ts';
import { readAccount } from './account.contract.ts';
import { describeAccount } from './account.ts';

export function accountRoutes(app: FastifyInstance, deps: HttpDeps): void {
  mount(app, deps, readAccount, ({ signedIn }) => describeAccount(deps, signedIn.accountId));
}
