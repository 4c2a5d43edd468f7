import type { FastifyInstance } from 'fastify';
import { refuse } from '../../contract/failures.ts';
import { openAccountEvents } from '../../http/account-events.ts';
import { mountOn } from '../../http/mount.ts';
import { authenticate } from '../../http/session/authentication.ts';
import type { Service } from '../../server/service.ts';
import * as contract from '../contract/computers.ts';
import { pushRoutes } from '../push/push.routes.ts';
import * as computers from './computers.ts';
import { deviceRoutes } from './device.routes.ts';
import { phoneRoutes } from './phone/phone.routes.ts';

/** Mounts the endpoints for owners of computers and, with `deviceRoutes`, those for the computers. */
export function computersRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const events = openAccountEvents(app, service);

  app.route({
    method: 'GET',
    url: contract.computerEvents.path,
    config: { endpoint: contract.computerEvents },
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      await service.scheduler.begin(request.visitor);
      const signIn = () => authenticate(service, request);
      if (request.method !== 'HEAD') await events.open({ request, reply }, signIn);
      else {
        // A HEAD request has no body, so a stream for it would never end.
        await signIn();
        return reply.type('text/event-stream').send();
      }
      return reply;
    },
  });

  mount(contract.listComputers, ({ signedIn }) => computers.listComputers(service, signedIn.accountId));

  mount(contract.listRecords, ({ signedIn, query }) => computers.listRecords(service, { ...signedIn, ...query }));

  mount(contract.readComputer, ({ signedIn: { accountId }, params }) =>
    computers.readComputer(service, { accountId, id: params.id }),
  );

  mount(contract.renameComputer, async ({ signedIn: { accountId }, params, body }) => {
    const renamed = await computers.renameComputer(service, { accountId, id: params.id, name: body.name });
    events.publish(accountId);
    return renamed;
  });

  mount(contract.setComputerTags, async ({ signedIn: { accountId }, params, body }) => {
    const tagged = await computers.setComputerTags(service, { accountId, id: params.id, tags: body.tags });
    events.publish(accountId);
    return tagged;
  });

  mount.change(
    contract.removeComputer,
    {},
    async (trx, { accountId, at }, { params: { id } }) => {
      if (!(await computers.removeComputer(trx, { accountId, id, at })))
        throw refuse(contract.removeComputer, 'not_found');
    },
    (_, { signedIn }) => events.publish(signedIn.accountId),
  );

  mount(contract.listNotifications, ({ signedIn }) => computers.listNotifications(service, signedIn.accountId));

  mount(contract.readAllNotifications, async ({ signedIn: { accountId } }) => {
    await computers.readAllNotifications(service, accountId);
    events.publish(accountId);
  });

  mount(contract.readNotification, async ({ signedIn: { accountId }, params }) => {
    await computers.readNotification(service, { accountId, id: params.id });
    events.publish(accountId);
  });

  deviceRoutes(app, service, events.publish);
  phoneRoutes(app, service);
  pushRoutes(mount, service);
}
