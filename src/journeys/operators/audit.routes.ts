import type { FastifyInstance } from 'fastify';
import { refuseField } from '../../contract/failures.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { auditAfter, auditBefore } from '../../operations/operators.ts';
import { verifyAuditLog } from '../../operations/verify-audit.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './audit.contract.ts';

/** Endpoints of the management API about what operators, keys and commands did. */
export function auditRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.readAudit, async ({ query: { cursor = '0', limit } }) => {
    if (!/^\d{1,15}$/.test(cursor)) throw refuseField(contract.readAudit, { field: 'cursor', code: 'not_understood' });
    const items = await auditAfter(store, { position: Number(cursor), max: limit });
    return { items, next: String(items.at(-1)?.position ?? cursor) };
  });

  mount(contract.readNewestAudit, ({ query: { person, actor_kind, cursor, limit } }) =>
    auditBefore(store, { person: person || undefined, actorKind: actor_kind, before: cursor, max: limit }),
  );

  mount(contract.checkAudit, async () => {
    const { entries, faults } = await verifyAuditLog(store, { newest: 10_000 });
    return { entries, faults: [...faults] };
  });
}
