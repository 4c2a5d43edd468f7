import type { FastifyInstance } from 'fastify';
import { stepUp as contract } from '../../contract/step-up.ts';
import { mountOn } from '../../http/mount.ts';
import { grantAccess } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import { stepUp } from './step-up.ts';

export function stepUpRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract, async ({ signedIn, body: { password }, visitor }) =>
    grantAccess(service, { ...signedIn, ...(await stepUp(service, { ...signedIn, visitor, password })) }),
  );
}
