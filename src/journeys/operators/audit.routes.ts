import type { FastifyInstance } from 'fastify';
import type { QueryRead } from '../../contract/endpoint.ts';
import { refuseField } from '../../contract/failures.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { auditAfter, auditBefore, verifyAuditLog } from '../../operations/audit-log.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './audit.contract.ts';

/** Endpoints of the management API about what operators, keys and commands did. */
export function auditRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.readAudit, async ({ query: { cursor = '0', limit, ...query } }) => {
    if (!/^\d{1,15}$/.test(cursor)) throw refuseField(contract.readAudit, { field: 'cursor', code: 'not_understood' });
    const items = await auditAfter(store, { ...queryIn(query), position: Number(cursor), max: limit });
    return { items, next: String(items.at(-1)?.position ?? cursor) };
  });

  mount(contract.readNewestAudit, ({ query: { cursor, limit, ...query } }) =>
    auditBefore(store, { ...queryIn(query), before: cursor, max: limit }),
  );

  mount(contract.checkAudit, async () => {
    const { entries, faults } = await verifyAuditLog(store, { newest: 10_000 });
    return { entries, faults: [...faults] };
  });
}

type Filters = Omit<QueryRead<typeof contract.readNewestAudit>, 'cursor' | 'limit'>;

const queryIn = ({ person, actor_kind: actorKind, kind }: Filters) => ({
  person: person || undefined,
  actorKind,
  kind,
});
