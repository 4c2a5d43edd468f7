import * as z from 'zod/mini';
import { endpoint, named, pageLimit, position } from '../../contract/endpoint.ts';
import { textLimit } from '../../contract/fields/field-sizes.ts';
import { actorKinds, auditKinds } from '../../contract/operators.ts';
import { cursor } from './people.contract.ts';

const text = z.string();

const auditEntries = z.array(
  named(
    'AuditEntry',
    z.object({
      id: text,
      at: text,
      actor_kind: z.enum(actorKinds),
      actor: text,
      actor_name: z.nullable(text),
      origin: text,
      action: text,
      account_id: z.nullable(text),
      job_id: z.nullable(text),
      subject: text,
      reason: z.nullable(text),
      position: z.number(),
      hash: text,
    }),
  ),
);

const audit = { auth: 'operator', role: 'support', status: 200 } as const;

const filters = {
  person: z.optional(
    z.string({ error: 'not_understood' }).check(z.maxLength(textLimit - 1, { error: 'not_understood' })),
  ),
  actor_kind: z.optional(z.enum(actorKinds, { error: 'not_understood' })),
  kind: z.optional(z.enum(auditKinds, { error: 'not_understood' })),
};

export const readAudit = endpoint({
  ...audit,
  route: 'GET /operators/audit',
  summary: 'Read the audit log from a position on, the oldest first',
  query: z.object({ ...filters, cursor, limit: pageLimit({ usual: 100, max: 1000 }) }),
  response: z.object({ items: auditEntries, next: text }),
  fieldCodes: ['not_understood'],
});

export const readNewestAudit = endpoint({
  ...audit,
  route: 'GET /operators/audit/newest',
  summary: 'Read the audit log, the newest first',
  query: z.object({
    ...filters,
    cursor: z.optional(position),
    limit: pageLimit({ usual: 50, max: 100 }),
  }),
  response: z.object({ items: auditEntries, next: z.nullable(text) }),
});

export const checkAudit = endpoint({
  ...audit,
  route: 'GET /operators/audit/verification',
  summary: 'Recompute the hashes of the newest 10,000 entries; the command `vestibule audit verify` recomputes all',
  response: z.object({ entries: z.number(), faults: z.array(text) }),
});
