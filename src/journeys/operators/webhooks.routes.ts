import type { FastifyInstance } from 'fastify';
import { type Refusing, refuse, refuseField } from '../../contract/failures.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { countOf } from '../../http/rate-limits/rate-limiter.ts';
import {
  addReceiver,
  addReceiverSecret,
  changeEvents,
  deliveriesPage,
  describeReceivers,
  dropOlderReceiverSecret,
  enableReceiver,
  removeReceiver,
  retryWebhooks,
  testReceiver,
} from '../../operations/webhooks.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './webhooks.contract.ts';

/** Endpoints of the management API about the applications that get events, and about these events. */
export function webhookRoutes(app: FastifyInstance, service: Service): void {
  const { store, secrets, webhooks } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.listDeliveries, async ({ query }) => {
    const page = await deliveriesPage(store, { receivers: await webhooks.receivers(), ...query });
    if (!page) throw refuseField(contract.listDeliveries, { field: 'cursor', code: 'not_understood' });
    return page;
  });

  mount(contract.retryDeliveries, async ({ operation, body: { ids } }) => {
    const retried = await retryWebhooks(operation, ids);
    webhooks.wake();
    return { retried };
  });

  mount(contract.listWebhooks, async () => ({ items: await describeReceivers(store, await webhooks.receivers()) }));

  mount(contract.addWebhook, async ({ operation, body: { url, events } }) => {
    const added = await addReceiver(operation, { url, events, receivers: await webhooks.receivers(), secrets });
    if (added.state === 'added') return { id: added.id, secret: added.secret };
    throw refuse(contract.addWebhook, added.state === 'full' ? 'webhook_limit_reached' : 'webhook_exists');
  });

  mount(contract.changeWebhook, async ({ operation, params: { id }, body: { events } }) => {
    const receiver = await stored(contract.changeWebhook, id);
    if (!(await changeEvents(operation, { receiver, events }))) throw refuse(contract.changeWebhook, 'not_found');
  });

  mount(contract.removeWebhook, async ({ operation, params: { id } }) => {
    await stored(contract.removeWebhook, id);
    if (!(await removeReceiver(operation, { id, secrets }))) throw refuse(contract.removeWebhook, 'not_found');
  });

  mount(contract.addWebhookSecret, async ({ operation, params: { id } }) => {
    await stored(contract.addWebhookSecret, id);
    const added = await addReceiverSecret(operation, { id, secrets });
    if (added.state === 'added') return { id, secret: added.secret };
    throw refuse(contract.addWebhookSecret, added.state === 'full' ? 'secret_limit_reached' : 'not_found');
  });

  mount(contract.dropWebhookSecret, async ({ operation, params: { id } }) => {
    await stored(contract.dropWebhookSecret, id);
    if (!(await dropOlderReceiverSecret(operation, { id, secrets })))
      throw refuse(contract.dropWebhookSecret, 'not_found');
  });

  mount(contract.testWebhook, async ({ operator, operation, reply, params: { id } }) => {
    countOf(service.webhookTestsOfOperator, contract.testWebhook, { by: operator.id, reply });
    const error = await testReceiver(operation, await find(contract.testWebhook, id));
    return { delivered: error === undefined, error: error ?? null };
  });

  mount(contract.enableWebhook, async ({ operation, params: { id } }) => {
    const receiver = await find(contract.enableWebhook, id);
    if (!(await enableReceiver(operation, receiver))) throw refuse(contract.enableWebhook, 'not_found');
    webhooks.wake();
  });

  async function find(endpoint: Refusing<'not_found'>, id: string) {
    const receiver = (await webhooks.receivers()).find((one) => one.id === id);
    if (!receiver) throw refuse(endpoint, 'not_found');
    return receiver;
  }

  /** Refuses a receiver from the file. */
  async function stored(endpoint: Refusing<'not_found' | 'from_file'>, id: string) {
    const receiver = await find(endpoint, id);
    if (receiver.isFromFile) throw refuse(endpoint, 'from_file');
    return receiver;
  }
}
