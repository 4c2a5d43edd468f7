import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure, refuse, tooMuch } from '../../contract/failures.ts';
import { seconds } from '../../contract/units.ts';
import { mountOn } from '../../http/mount.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { countOf, openRefusalMemory } from '../../http/rate-limits/rate-limiter.ts';
import { openNegotiation } from '../../http/responses/negotiation.ts';
import { findPerson, recordView } from '../../operations/people.ts';
import type { Service } from '../../server/service.ts';
import * as contract from '../contract/computers.ts';
import * as keysContract from '../contract/enrolment-keys.ts';
import { seeDevices } from '../contract/seen-devices.ts';
import * as computers from './computers.ts';
import { isCopied } from './copies.ts';
import * as deviceContract from './device.contract.ts';
import { agentPath, commandsFor, enrol, requestEnrolment } from './enrol.ts';
import * as keys from './enrolment-keys.ts';
import { type DevicePrincipal, deviceOf, keepRecords, receiveHeartbeat } from './heartbeat.ts';
import { phoneRoutes } from './phone/phone.routes.ts';
import { agentsPath, findDownload, offeredUpdate } from './published-agents.ts';

declare module '../../http/session/authentication.ts' {
  interface Principals {
    device: { readonly device: DevicePrincipal };
  }
}

/** The build assembles it from `bin/agent/`. */
const agent = join(import.meta.dirname, '..', '..', '..', 'dist', 'agent', 'vestibule-agent.mjs');

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
}

/** Mounts enrolment and the endpoints for computers. */
function deviceRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service, { device: async (token) => ({ device: await deviceOf(service, token) }) });
  const { enrolmentGuesses, deviceRequests } = service;
  const { wantedCoding } = openNegotiation();
  /** Computers that sent all records of their day. */
  const paused = openRefusalMemory(service.now);

  const agentText = readFileSync(agent);
  app.get(agentPath, (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/javascript').send(agentText),
  );

  app.get<{ Params: { name: string } }>(`${agentsPath}:name`, async (request, reply) => {
    const acceptsGzip = wantedCoding(request) === 'gzip';
    const download = await findDownload(service, { name: request.params.name, acceptsGzip });
    if (!download) throw new Failure('not_found');
    if (download.encoding) reply.header('content-encoding', download.encoding);
    reply.header('vary', 'Accept-Encoding').header('cache-control', 'no-store');
    return reply.type('application/octet-stream').header('content-length', download.bytes).send(download.read());
  });

  mount(contract.requestEnrolment, async ({ signedIn, body: { password }, visitor }) => {
    const { code, lifetime } = await requestEnrolment(service, { ...signedIn, password, visitor });
    return { code, expires_in: lifetime / 1000, ...commandsFor(service, code) };
  });

  mount(keysContract.listEnrolmentKeys, ({ signedIn }) => keys.listEnrolmentKeys(service, signedIn.accountId));

  mount(keysContract.createEnrolmentKey, async ({ signedIn, visitor, body }) => {
    const { days: lifetime, max_uses: maxUses, name, tags, networks, password } = body;
    const request = { ...signedIn, visitor, lifetime, maxUses, name, tags, networks, password };
    const created = await keys.createEnrolmentKey(service, request);
    return { ...created, commands: commandsFor(service, created.secret).commands };
  });

  mount.change(keysContract.revokeEnrolmentKey, {}, (trx, owner, { params: { id } }) =>
    keys.revokeEnrolmentKey(trx, { ...owner, id }),
  );

  mount(deviceContract.enrol, async ({ body, visitor }) => {
    // No one guesses a key, and a thousand computers behind one address start together.
    if (keys.isEnrolmentKey(body.code)) return enrol(service, { ...body, visitor });
    const wait = enrolmentGuesses.wait(visitor);
    if (wait > 0) throw tooMuch(deviceContract.enrol, 'too_many_requests', wait);
    // Count before checking, so that parallel guesses cannot pass the limit; only a wrong code stays counted.
    const uncount = enrolmentGuesses.count(visitor);
    const enrolled = await enrol(service, { ...body, visitor }).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'enrolment_invalid') uncount();
      throw error;
    });
    uncount();
    return enrolled;
  });

  /** Returns the computer; refuses one that sends more requests than a working agent needs. */
  function inTurn(device: DevicePrincipal, reply: FastifyReply): DevicePrincipal {
    countOf(deviceRequests, deviceContract.heartbeat, { by: device.id, reply });
    return device;
  }

  mount(deviceContract.heartbeat, async ({ body, device, visitor, reply }) => {
    await receiveHeartbeat(service, inTurn(device, reply), { ...body, network: visitor.source });
  });

  mount(deviceContract.readUpdate, ({ device, reply }) => offeredUpdate(service, inTurn(device, reply).id));

  mount(deviceContract.sendRecords, async ({ body, device, reply }) => {
    const from = inTurn(device, reply);
    const freeAt = paused.freeAt(from.id);
    if (freeAt > 0) throw tooMuch(deviceContract.sendRecords, 'too_many_requests', freeAt - service.now());
    return keepRecords(service, from, body.records).catch((error: unknown) => {
      const { retryAfter } = error instanceof Failure ? error.detail : {};
      if (retryAfter !== undefined) paused.refuse(from.id, service.now() + seconds(retryAfter));
      throw error;
    });
  });

  mount(deviceContract.leave, async ({ device: { id, account_id: accountId, instances }, query }) => {
    if (query.shared !== 'remove' && isCopied(instances, service.now()))
      throw refuse(deviceContract.leave, 'reported_by_others');
    if (!(await computers.leaveAccount(service, { id, accountId })))
      throw refuse(deviceContract.leave, 'not_signed_in');
  });
}

/** Records that the dashboard shows. */
const newest = 10;

/** What operators see of someone's dashboard. */
export function seenDevicesRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOperatorsOn(app, service);
  mount(seeDevices, async ({ operation, params: { id: accountId } }) => {
    const account = await findPerson(service, accountId);
    if (!account) throw refuse(seeDevices, 'not_found');
    await recordView(operation, { account, action: 'devices_viewed' });
    const [list, { records }] = await Promise.all([
      computers.listComputers(service, accountId),
      computers.listRecords(service, { accountId, limit: newest }),
    ]);
    return { computers: list.computers, records };
  });
}
