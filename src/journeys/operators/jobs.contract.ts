import * as z from 'zod/mini';
import { endpoint, named, ownId, pageLimit, position } from '../../contract/endpoint.ts';
import { actorKinds, bulkActs, jobStops } from '../../contract/operators.ts';
import { pageOf, reason } from './people.contract.ts';

const text = z.string();
const textOrNull = z.nullable(text);
const understood = { error: 'not_understood' } as const;

/** How many people an act may be for. */
export const maxPeople = 1000;

const list = { auth: 'operator', role: 'support', status: 200 } as const;
const ofOne = { ...list, params: z.object({ id: ownId }) } as const;

export const beginJob = endpoint({
  route: 'POST /operators/people/bulk',
  summary: 'Do one act for up to 1,000 people, one after the other',
  auth: 'operator',
  role: 'support',
  bodyLimit: 64 * 1024,
  body: z.object({
    ids: z
      .array(z.string(understood).check(z.maxLength(100, understood)), understood)
      .check(z.minLength(1, understood), z.maxLength(maxPeople, understood)),
    act: z.enum(bulkActs, understood),
    reason,
  }),
  status: 202,
  response: z.object({ id: text }),
});

const job = {
  id: text,
  act: z.enum(bulkActs),
  created_at: text,
  total: z.number(),
  done: z.number(),
  finished_at: textOrNull,
  stopped: z.nullable(z.enum(jobStops)),
  actor_kind: z.enum(actorKinds),
  actor: text,
  actor_name: textOrNull,
};

export const listJobs = endpoint({
  ...list,
  route: 'GET /operators/jobs',
  summary: 'List the acts for many people of the last 30 days, the newest first',
  query: z.object({ cursor: z.optional(position), limit: pageLimit({ usual: 20, max: 50 }) }),
  response: pageOf('Job', { ...job, failed: z.number() }),
});

export const readJob = endpoint({
  ...ofOne,
  route: 'GET /operators/jobs/:id',
  summary: 'Read how far an act for many people is, who wanted it, and for whom it failed',
  response: z.object({
    ...job,
    reason: textOrNull,
    failures: z.array(named('JobFailure', z.object({ id: text, name: textOrNull, code: text }))),
  }),
});

export const listJobPeople = endpoint({
  ...ofOne,
  route: 'GET /operators/jobs/:id/people',
  summary: 'List the people of an act for many people, in its order',
  query: z.object({
    cursor: z.optional(z.string(understood).check(z.regex(/^\d{1,4}$/, understood))),
    limit: pageLimit({ usual: 50, max: 100 }),
  }),
  response: pageOf('JobPerson', {
    id: text,
    name: textOrNull,
    state: z.enum(['waiting', 'done', 'failed', 'stopped']),
  }),
});
