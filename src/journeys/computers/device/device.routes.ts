import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { requestEnrolment as requestEnrolmentContract } from '../../../contract/computers.ts';
import { Failure } from '../../../contract/failures.ts';
import { refuse, refuseField } from '../../../contract/refuse.ts';
import { mountOn } from '../../../http/mount.ts';
import { tooMuch } from '../../../http/problems.ts';
import type { Device } from '../../../http/session/signed-in.ts';
import { withPassword } from '../../../http/session/with-password.ts';
import type { Service } from '../../../server/foundation.ts';
import { removeComputer } from '../computers.ts';
import { agentPath, commandsFor } from './commands.ts';
import * as contract from './device.contract.ts';
import { enrol, isProvenLately, noteProof, requestEnrolment } from './enrol.ts';
import { giveSignOfLife } from './heartbeat.ts';
import { keepRecords } from './keep-records.ts';

const agent = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'vestibule-agent.mjs');

/** How a computer comes to an account, and what it tells from then on. `tell`: something of an account is new. */
export function deviceRoutes(app: FastifyInstance, service: Service, tell: (accountId: string) => void): void {
  const mount = mountOn(app, service);
  const { enrolmentGuesses, deviceRequests } = service;

  const agentText = readFileSync(agent);
  app.get(agentPath, (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/javascript').send(agentText),
  );

  mount(requestEnrolmentContract, async ({ signedIn: { accountId, sessionId }, body: { password }, visitor }) => {
    if (!(await isProvenLately(service, sessionId))) {
      if (password === undefined)
        throw refuseField(requestEnrolmentContract, { field: 'password', code: 'password_required' });
      const asking = { endpoint: requestEnrolmentContract, accountId, password, from: visitor };
      await withPassword(service, asking, () => noteProof(service, sessionId));
    }
    const asked = await requestEnrolment(service, accountId);
    if (asked.state === 'refused')
      throw tooMuch(requestEnrolmentContract, 'too_many_requests', asked.freeAt - service.now());
    const commands = commandsFor(service.config.PUBLIC_URL, asked.code);
    return { code: asked.code, expires_in: asked.lifetime / 1000, ...commands };
  });

  mount(contract.enrol, async ({ body, visitor }) => {
    const wait = enrolmentGuesses.wait(visitor);
    if (wait > 0) throw tooMuch(contract.enrol, 'too_many_requests', wait);
    // Counted on admission, so that no number of guesses at the same time passes; only a wrong code stays counted.
    const uncount = enrolmentGuesses.count(visitor);
    const { accountId, ...enrolled } = await enrol(service, { ...body, visitor }).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'enrolment_invalid') uncount();
      throw error;
    });
    uncount();
    tell(accountId);
    return enrolled;
  });

  /** The computer, unless it asks for more than a working one has to. */
  function inTurn(device: Device | undefined): Device {
    const { id, ...known } = device as Device;
    const origin = { source: id, networks: [] };
    const wait = deviceRequests.wait(origin);
    if (wait > 0) throw tooMuch(contract.heartbeat, 'too_many_requests', wait);
    deviceRequests.count(origin);
    return { id, ...known };
  }

  mount(contract.heartbeat, async ({ body, device }) => {
    const from = inTurn(device);
    await giveSignOfLife(service, from, body);
    tell(from.account_id);
  });

  mount(contract.sendRecords, async ({ body, device }) => {
    const from = inTurn(device);
    const kept = await keepRecords(service, from, body.records);
    tell(from.account_id);
    return kept;
  });

  mount(contract.leave, async ({ device }) => {
    const { id, account_id: accountId } = device as Device;
    if (!(await removeComputer(service, { id, accountId }))) throw refuse(contract.leave, 'not_signed_in');
    tell(accountId);
  });
}
