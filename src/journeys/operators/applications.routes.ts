import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { refuse, refuseField } from '../../contract/failures.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import {
  addClient,
  addSecret,
  type ClientEntry,
  changeClient,
  clientEntry,
  confirmClient,
  describeClient,
  describeClients,
  dropOlderSecret,
  refusalsOfClient,
  refusedIn,
  removeClientOf,
} from '../../operations/clients.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './applications.contract.ts';

/** Endpoints of the management API about the applications that people sign in to. */
export function applicationRoutes(app: FastifyInstance, service: Service): void {
  const { store, config } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.listApplications, async () => ({ items: await describeClients(store) }));

  mount(contract.addApplication, async ({ operation, body: { reason: _, ...given } }) => {
    const entry = entryIn(contract.addApplication, { ...given, client_id: randomUUID() });
    const secret = await addClient(operation, entry);
    return { client_id: entry.client_id, client_secret: secret ?? null };
  });

  mount(contract.readApplication, async ({ params: { id } }) => {
    const application = await describeClient(store, id);
    if (!application) throw refuse(contract.readApplication, 'not_found');
    return { application, refusals: await refusalsOfClient(store, id) };
  });

  mount(contract.changeApplication, async ({ operation, params: { id }, body: { reason: _, ...changes } }) => {
    const change = (former: ClientEntry) => entryIn(contract.changeApplication, { ...former, ...changes });
    const outcome = await changeClient(operation, { id, evenFromFile: false, change });
    if (outcome.state === 'changed') return { client_id: id, client_secret: outcome.secret ?? null };
    throw refuse(contract.changeApplication, outcome.state === 'from file' ? 'from_file' : 'not_found');
  });

  mount(contract.removeApplication, async ({ operation, params: { id } }) => {
    const found = await describeClient(store, id);
    if (!found) throw refuse(contract.removeApplication, 'not_found');
    // The next start would add it again; without the file, it is a leftover.
    if (found.from_file && config.CLIENTS_FILE) throw refuse(contract.removeApplication, 'from_file');
    await removeClientOf(operation, id);
  });

  mount(contract.confirmApplication, async ({ operation, params: { id } }) => {
    if (!(await confirmClient(operation, id))) throw refuse(contract.confirmApplication, 'not_found');
  });

  mount(contract.addApplicationSecret, async ({ operation, params: { id } }) => {
    const outcome = await addSecret(operation, id);
    if (outcome.state === 'added') return { client_id: id, client_secret: outcome.secret };
    if (outcome.state === 'full') throw refuse(contract.addApplicationSecret, 'secret_limit_reached');
    throw refuse(contract.addApplicationSecret, outcome.state === 'from file' ? 'from_file' : 'not_found');
  });

  mount(contract.dropApplicationSecret, async ({ operation, params: { id } }) => {
    if (!(await dropOlderSecret(operation, id))) throw refuse(contract.dropApplicationSecret, 'not_found');
  });
}

/** The rules of an entry in CLIENTS_FILE; refuses at the first field that breaks one. */
function entryIn(
  endpoint: typeof contract.addApplication | typeof contract.changeApplication,
  { backchannel_logout_uri: uri, ...given }: Readonly<Record<string, unknown>>,
): ClientEntry {
  const { data, error } = clientEntry.safeParse({ ...given, backchannel_logout_uri: uri ?? undefined });
  if (data) return data;
  throw refuseField(endpoint, refusedIn(error));
}
