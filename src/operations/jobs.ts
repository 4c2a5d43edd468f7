import type { WithParts } from '../access/account-part.ts';
import { Failure } from '../contract/failures.ts';
import { type BulkAct, isRoleEnough, type JobStop, type OperatorAction } from '../contract/operators.ts';
import { iso, isoOrNull } from '../contract/units.ts';
import { findAccount } from '../store/accounts/accounts.ts';
import { accountsAmong } from '../store/accounts/list-accounts.ts';
import { orderedId, type Store, type StoreTransaction } from '../store/database.ts';
import { addAuditEntry, reasonAmong } from '../store/operators/audit-log.ts';
import {
  addJob,
  findJob,
  listJobs,
  nextJob,
  type OperatorJobsTable,
  recordStep,
  stopJob,
} from '../store/operators/jobs.ts';
import { heldRoleOf, holdKey } from '../store/operators/operators.ts';
import { endSessions, lockAccount, unlockAccount } from './accounts.ts';
import { actorNames, audit, masked, type Operation } from './operation.ts';
import { planDeletion, resendEmails, sendReset } from './people.ts';

/** Lets nodes do an act for many people, one after the other. Returns the id of the job. */
export const beginJob = (
  { store, ...operation }: Operation,
  { ids, act }: { readonly ids: readonly string[]; readonly act: BulkAct },
): Promise<string> =>
  store.transaction().execute(async (trx) => {
    const id = orderedId();
    const people = [...new Set(ids)];
    const { kind: actor_kind, actor, origin, reason = null } = operation.operator;
    await addJob(trx, {
      ...{ id, created_at: operation.now, actor_kind, actor, origin, reason, act },
      ...{ people: JSON.stringify(people), done: 0, failures: '[]', finished_at: null, stopped: null },
    });
    // Its reason is in the entry of each account, which goes with the account.
    const withoutReason = { ...operation, operator: { ...operation.operator, reason: undefined } };
    await audit(trx, withoutReason, {
      action: 'job_begun',
      subject: `${act}: ${people.length} accounts (${id})`,
      subjectId: id,
    });
    return id;
  });

interface JobFailure {
  readonly id: string;
  readonly code: string;
}

const failuresOf = (job: OperatorJobsTable) => JSON.parse(job.failures) as JobFailure[];
const peopleOf = (job: OperatorJobsTable) => JSON.parse(job.people) as string[];

/** The names of accounts; null for those that are gone. */
async function namesOf(store: Store, ids: readonly string[]): Promise<(id: string) => string | null> {
  const accounts = await accountsAmong(store, { ids, filter: {} });
  const names = new Map(accounts.map((one) => [one.id, one.name || masked(one.email)]));
  return (id) => names.get(id) ?? null;
}

const summaryOf = (job: OperatorJobsTable, actorName: string | null) => ({
  ...{ id: job.id, act: job.act, created_at: iso(job.created_at), total: peopleOf(job).length, done: job.done },
  ...{ finished_at: isoOrNull(job.finished_at), stopped: job.stopped },
  ...{ actor_kind: job.actor_kind, actor: job.actor, actor_name: actorName },
});

interface Page {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of the jobs of the last 30 days, the newest first. */
export async function jobsPage(store: Store, { cursor, limit }: Page) {
  const found = await listJobs(store, { before: cursor, max: limit + 1 });
  const page = found.slice(0, limit);
  const nameOf = await actorNames(store, page);
  const items = page.map((job) => ({ ...summaryOf(job, nameOf(job)), failed: failuresOf(job).length }));
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** How far a job is, who wanted it and why, and for whom it failed, by name; undefined if there is none with this id. */
export async function describeJob(store: Store, id: string) {
  const job = await findJob(store, id);
  if (!job) return undefined;
  const failures = failuresOf(job);
  const nameOf = await namesOf(
    store,
    failures.map((one) => one.id),
  );
  const actorName = (await actorNames(store, [job]))(job);
  return {
    ...summaryOf(job, actorName),
    reason: await reasonOf(store, job),
    failures: failures.map((one) => ({ ...one, name: nameOf(one.id) })),
  };
}

type Acting = WithParts & Parameters<typeof resendEmails>[1]['service'] & { readonly store: Store; now(): number };

interface ActedOn {
  readonly service: Acting;
  readonly operation: Operation & WithParts;
  readonly id: string;
}

/** What each act does to an account (undefined or false: it is gone), and its entry in the audit log. */
const acts: Readonly<Record<BulkAct, { readonly entry: OperatorAction; act(on: ActedOn): Promise<unknown> }>> = {
  lock: { entry: 'account_locked', act: ({ operation, id }) => lockAccount(operation, { id }) },
  unlock: { entry: 'account_unlocked', act: ({ operation, id }) => unlockAccount(operation, { id }) },
  end_sessions: { entry: 'sessions_ended', act: ({ operation, id }) => endSessions(operation, { id }) },
  reset: {
    entry: 'reset_sent',
    act: ({ service: { config, secrets }, operation, id }) => sendReset(operation, { id, config, secrets }),
  },
  resend: { entry: 'emails_resent', act: ({ service, operation, id }) => resendEmails(operation, { id, service }) },
  delete: {
    entry: 'deletion_planned',
    act: ({ service: { config }, operation, id }) => planDeletion(operation, { id, config }),
  },
};

/** Once a job is finished, only the entries of its accounts have its reason, which goes with the last of them. */
async function reasonOf(store: Store, job: OperatorJobsTable): Promise<string | null> {
  const { act, actor, created_at: since, finished_at: until, reason } = job;
  if (until === null) return reason;
  return reasonAmong(store, { accountIds: peopleOf(job), action: acts[act].entry, actor, since, until });
}

/** A page of the people of a job, in its order, and how it went; undefined if there is no such job. */
export async function jobPeoplePage(store: Store, { id, cursor = '0', limit }: Page & { readonly id: string }) {
  const job = await findJob(store, id);
  if (!job) return undefined;
  const [start, people] = [Number(cursor), peopleOf(job)];
  const ids = people.slice(start, start + limit);
  const nameOf = await namesOf(store, ids);
  const failed = new Set(failuresOf(job).map((one) => one.id));
  const stateOf = (person: string, at: number) => {
    if (failed.has(person)) return 'failed' as const;
    if (at < job.done) return 'done' as const;
    return job.stopped === null ? ('waiting' as const) : ('stopped' as const);
  };
  return {
    items: ids.map((person, at) => ({ id: person, name: nameOf(person), state: stateOf(person, start + at) })),
    next: start + limit < people.length ? String(start + limit) : null,
  };
}

/** Does what is left of all jobs. Any node may, also several at the same time, or one after another has stopped. */
export async function runJobs(service: Acting, onError: (error: unknown) => void): Promise<void> {
  for (;;) {
    const job = await nextJob(service.store);
    if (!job) return;
    await takeStep(service, { job, onError });
  }
}

/** The step that another node has taken meanwhile. */
class Taken extends Error {}

/** The operator or key may no longer act. */
class Stopped extends Error {
  readonly why: JobStop;

  constructor(why: JobStop) {
    super(why);
    this.why = why;
  }
}

/** Acts on the next person of a job. The transaction of the act records that it is done, so that none is done twice. */
async function takeStep(
  service: Acting,
  { job, onError }: { readonly job: OperatorJobsTable; readonly onError: (error: unknown) => void },
): Promise<void> {
  const { store, now } = service;
  const people = peopleOf(job);
  const id = people[job.done] as string;
  const step = { id: job.id, done: job.done, finishedAt: job.done + 1 === people.length ? now() : null };
  let isRecorded = false;
  const confirm = async (trx: StoreTransaction) => {
    const why = await whyStopped(trx, job, now());
    if (why) throw new Stopped(why);
    if (!(await recordStep(trx, step))) throw new Taken();
    isRecorded = true;
  };
  const operator = {
    kind: job.actor_kind,
    actor: job.actor,
    origin: job.origin,
    reason: job.reason ?? undefined,
    confirm,
  };
  /** Of a failure; undefined if there was nothing to change. */
  let code: string | undefined = 'not_found';
  try {
    const operation = { store, operator, now: now(), parts: service.parts };
    const outcome = await acts[job.act].act({ service, operation, id });
    if (isRecorded) return;
    if (outcome === 'last owner') code = 'last_owner';
    else if (outcome !== undefined && outcome !== false) code = undefined;
  } catch (error) {
    if (error instanceof Taken) return;
    if (error instanceof Stopped) return stop(store, { job, why: error.why, at: now() });
    code = error instanceof Failure ? error.code : 'server_error';
    if (code === 'server_error') onError(error);
  }
  const failures = JSON.stringify([...failuresOf(job), ...(code === undefined ? [] : [{ id, code }])]);
  const why = await store.transaction().execute(async (trx) => {
    const stopping = await whyStopped(trx, job, now());
    if (!stopping) await recordStep(trx, { ...step, failures });
    return stopping;
  });
  if (why) await stop(store, { job, why, at: now() });
}

/** What the operator or the key has lost since the job began; like a key, a job does not outlive a reset password. */
async function whyStopped(
  trx: StoreTransaction,
  { actor_kind, actor, created_at }: OperatorJobsTable,
  now: number,
): Promise<JobStop | undefined> {
  if (actor_kind === 'key') {
    const key = await holdKey(trx, { id: actor, now });
    return key && isRoleEnough(key.role, 'support') ? undefined : 'key';
  }
  const role = await heldRoleOf(trx, actor);
  const account = await findAccount(trx, actor);
  if (account && (account.locked_at !== null || account.delete_at !== null)) return 'account';
  if (account && account.password_changed_at > created_at) return 'password';
  return role !== undefined && isRoleEnough(role, 'support') ? undefined : 'role';
}

interface Stop {
  readonly job: OperatorJobsTable;
  readonly why: JobStop;
  readonly at: number;
}

const stop = (store: Store, { job, why, at }: Stop): Promise<void> =>
  store.transaction().execute(async (trx) => {
    const { id, act, done } = job;
    if (!(await stopJob(trx, { id, done, why, at }))) return;
    await addAuditEntry(trx, {
      ...({ at, actor_kind: 'service', actor: 'jobs', origin: '', action: 'job_stopped' } as const),
      ...{ account_id: null, subject: `${act}: ${done} of ${peopleOf(job).length} accounts (${id})` },
      ...{ subject_id: id, reason: null },
    });
  });
