import type { FastifyInstance } from 'fastify';
import { refuse, refuseField } from '../../contract/failures.ts';
import { days, iso } from '../../contract/units.ts';
import { isAddressRange } from '../../http/incoming/visitor.ts';
import { mountOn } from '../../http/mount.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { openOperators } from '../../http/session/operator-principal.ts';
import {
  acceptInvitation,
  addOperatorKey,
  changeRole,
  describeInvitations,
  describeKeys,
  describeOperators,
  invitationLink,
  inviteOperator,
  removeOperator,
  revokeInvitation,
  revokeOperatorKey,
} from '../../operations/operators.ts';
import { findPerson } from '../../operations/people.ts';
import type { Service } from '../../server/service.ts';
import { applicationRoutes } from './applications.routes.ts';
import { auditRoutes } from './audit.routes.ts';
import { jobRoutes } from './jobs.routes.ts';
import * as contract from './operators.contract.ts';
import { peopleRoutes } from './people.routes.ts';
import { serviceRoutes } from './service.routes.ts';
import { webhookRoutes } from './webhooks.routes.ts';

/** The management API. Without `CONSOLE`, none of its addresses exist. */
export function operatorsRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.readOperator, ({ operator: { kind, id, role } }) => ({ kind, id, role }));

  mount(contract.listOperators, async () => ({ items: await describeOperators(store) }));

  mount(contract.inviteOperator, async ({ operation, body: { email, role } }) => {
    const { invitation, expiresAt } = await inviteOperator(operation, { email, role });
    const link = invitationLink(service.config.PUBLIC_URL, invitation);
    return { invitation, invitation_link: link, expires_at: iso(expiresAt) };
  });

  mount(contract.listInvitations, async ({ operation: { now } }) => ({ items: await describeInvitations(store, now) }));

  mount(contract.revokeInvitation, async ({ operation, params: { id } }) => {
    if (!(await revokeInvitation(operation, id))) throw refuse(contract.revokeInvitation, 'not_found');
  });

  mount(contract.changeOperator, async ({ operation, params: { id }, body: { role } }) => {
    const account = await findPerson(service, id);
    const outcome = account ? await changeRole(operation, { account, role }) : 'no operator';
    if (outcome === 'no operator') throw refuse(contract.changeOperator, 'not_found');
    if (outcome === 'last owner') throw refuse(contract.changeOperator, 'last_owner');
  });

  mount(contract.removeOperator, async ({ operation, params: { id } }) => {
    const account = await findPerson(service, id);
    const outcome = account ? await removeOperator(operation, account) : 'no operator';
    if (outcome === 'no operator') throw refuse(contract.removeOperator, 'not_found');
    if (outcome === 'last owner') throw refuse(contract.removeOperator, 'last_owner');
  });

  mount(contract.listKeys, async () => ({ items: await describeKeys(store) }));

  mount(contract.addKey, async ({ operation, body: { name, role, days: kept, addresses } }) => {
    if (!addresses.every(isAddressRange))
      throw refuseField(contract.addKey, { field: 'addresses', code: 'not_understood' });
    const expiresAt = operation.now + days(kept);
    const { id, key } = await addOperatorKey(operation, { name, role, addresses, expiresAt });
    return { id, key, expires_at: iso(expiresAt) };
  });

  mount(contract.revokeKey, async ({ operation, params: { id } }) => {
    if (!(await revokeOperatorKey(operation, id))) throw refuse(contract.revokeKey, 'not_found');
  });

  invitationRoute(app, service);
  applicationRoutes(app, service);
  peopleRoutes(app, service);
  jobRoutes(app, service);
  serviceRoutes(app, service);
  webhookRoutes(app, service);
  auditRoutes(app, service);
}

function invitationRoute(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { requireAddress, requireTwoFactors } = openOperators(service);

  mount.change(
    contract.acceptInvitation,
    { limit: service.changesOfAccount },
    async (trx, { account, accountId: actor, sessionId, visitor, at: now }, { request, signedIn, body }) => {
      requireAddress(request);
      await requireTwoFactors(signedIn);
      const operator = { kind: 'operator', actor, origin: visitor.ip, reason: undefined } as const;
      const accepting = { account, sessionId, secret: body.invitation, secrets: service.secrets };
      const role = await acceptInvitation(trx, { operator, now }, accepting);
      if (role === undefined) throw refuse(contract.acceptInvitation, 'invitation_invalid');
      return { role };
    },
  );
}
