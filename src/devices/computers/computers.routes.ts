import type { FastifyInstance } from 'fastify';
import { refuse } from '../../contract/failures.ts';
import { mountOn } from '../../http/mount.ts';
import type { Service } from '../../server/service.ts';
import * as contract from '../contract/computers.ts';
import { pushRoutes } from '../push/push.routes.ts';
import * as computers from './computers.ts';
import { deviceRoutes } from './device.routes.ts';
import { phoneRoutes } from './phone/phone.routes.ts';

/** Mounts the endpoints for owners of computers and, with `deviceRoutes`, those for the computers. */
export function computersRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(
    contract.listComputers,
    ({ signedIn }) => computers.listComputers(service, signedIn.accountId),
    ({ signedIn }) => computers.versionOfList(service, signedIn.accountId),
  );

  mount(contract.listRecords, ({ signedIn, query }) => computers.listRecords(service, { ...signedIn, ...query }));

  mount(
    contract.readComputer,
    ({ signedIn: { accountId }, params }) => computers.readComputer(service, { accountId, id: params.id }),
    ({ signedIn: { accountId }, params }) => computers.versionOfList(service, accountId, params.id),
  );

  mount(contract.renameComputer, ({ signedIn: { accountId }, params, body }) =>
    computers.renameComputer(service, { accountId, id: params.id, name: body.name }),
  );

  mount(contract.setComputerTags, ({ signedIn: { accountId }, params, body }) =>
    computers.setComputerTags(service, { accountId, id: params.id, tags: body.tags }),
  );

  mount.change(contract.removeComputer, {}, async (trx, { accountId, at }, { params: { id } }) => {
    if (!(await computers.removeComputer(trx, { accountId, id, at })))
      throw refuse(contract.removeComputer, 'not_found');
  });

  mount(contract.listNotifications, ({ signedIn }) => computers.listNotifications(service, signedIn.accountId));

  mount(contract.readAllNotifications, async ({ signedIn: { accountId } }) => {
    await computers.readAllNotifications(service, accountId);
  });

  mount(contract.readNotification, async ({ signedIn: { accountId }, params }) => {
    await computers.readNotification(service, { accountId, id: params.id });
  });

  deviceRoutes(app, service);
  phoneRoutes(app, service);
  pushRoutes(mount, service);
}
