import type { ActorKind, BulkAct, JobStop } from '../../contract/operators.ts';
import { days } from '../../contract/units.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** An act on many people, which nodes do one after the other. */
export interface OperatorJobsTable {
  /** UUID version 7. */
  id: string;
  created_at: number;
  actor_kind: ActorKind;
  actor: string;
  origin: string;
  reason: string | null;
  act: BulkAct;
  /** Ids of accounts, a JSON array. */
  people: string;
  /** How many of them are done. */
  done: number;
  /** A JSON array of `{ id, code }`. */
  failures: string;
  finished_at: number | null;
  /** Why it ended before it was done. */
  stopped: JobStop | null;
}

declare module '../database.ts' {
  interface Database {
    operator_jobs: OperatorJobsTable;
  }
}

/** How long the result of a job can be read. */
export const jobKept = days(30);

export const addJob = (trx: StoreTransaction, job: OperatorJobsTable) =>
  trx.insertInto('operator_jobs').values(job).execute();

export const findJob = (store: Store, id: string) =>
  store.selectFrom('operator_jobs').selectAll().where('id', '=', id).executeTakeFirst();

/** The newest first. */
export const listJobs = (store: Store, { before, max }: { before: string | undefined; max: number }) =>
  store
    .selectFrom('operator_jobs')
    .selectAll()
    .$if(before !== undefined, (rows) => rows.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(max)
    .execute();

/** The job that is not finished and was added first. */
export const nextJob = (store: Store) =>
  store
    .selectFrom('operator_jobs')
    .selectAll()
    .where('finished_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

interface Step extends Pick<OperatorJobsTable, 'id' | 'done'> {
  /** All failures of the job so far; absent if this step was none. */
  readonly failures?: string;
  readonly finishedAt: number | null;
}

/**
 * Records the step after `done`, in the transaction of its act: false if another node has done it. On PostgreSQL, the
 * other one waits here.
 */
export async function recordStep(trx: StoreTransaction, { id, done, failures, finishedAt }: Step): Promise<boolean> {
  const step = await trx
    .updateTable('operator_jobs')
    .set({
      ...{ done: done + 1, finished_at: finishedAt },
      ...(failures !== undefined && { failures }),
      // It may name someone; the audit log has it.
      ...(finishedAt !== null && { reason: null }),
    })
    .where('id', '=', id)
    .where('done', '=', done)
    .returning('id')
    .executeTakeFirst();
  return step !== undefined;
}

/** Ends a job after the step `done`; false if another node has done more. */
export async function stopJob(
  trx: StoreTransaction,
  { id, done, why, at }: Pick<Step, 'id' | 'done'> & { readonly why: JobStop; readonly at: number },
): Promise<boolean> {
  const stopped = await trx
    .updateTable('operator_jobs')
    .set({ stopped: why, finished_at: at, reason: null })
    .where('id', '=', id)
    .where('done', '=', done)
    .where('finished_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return stopped !== undefined;
}
