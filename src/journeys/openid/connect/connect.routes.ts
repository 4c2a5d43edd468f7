import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../../http/mount.ts';
import type { Service } from '../../../server/service.ts';
import { appsOf, disconnect } from './apps.ts';
import * as contract from './connect.contract.ts';
import { decideRequest, describeApp, describeRequest, describeStep } from './connect.ts';
import { decideDevice, describeDevice } from './device-authorization.ts';

/** The requests of our pages about applications. */
export function connectRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.readRequest, ({ params }) => describeRequest(service, params.id));
  mount(contract.readApp, ({ params }) => describeApp(service, params.id));
  mount(contract.readStep, ({ params, signedIn }) => describeStep(service, { ...signedIn, id: params.id }));
  mount(contract.decide, ({ params, signedIn, body }) =>
    decideRequest(service, { ...signedIn, id: params.id, allow: body.allow }),
  );

  mount(contract.readDevice, ({ signedIn, body, visitor }) =>
    describeDevice(service, { accountId: signedIn.accountId, userCode: body.user_code, visitor }),
  );
  mount(contract.decideDevice, ({ signedIn, body, visitor }) =>
    decideDevice(service, { ...signedIn, userCode: body.user_code, allow: body.allow, visitor }),
  );

  mount(contract.listApps, ({ signedIn }) => appsOf(service, signedIn.accountId));
  mount.change(contract.disconnectApp, {}, (trx, { accountId, at }, { params }) =>
    disconnect(trx, { accountId, clientId: params.id, at }),
  );
}
