import { Failure } from '../contract/failures.ts';
import { sha256 } from '../security/macs.ts';
import type { Service } from '../server/service.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import { findResult, keepResult } from '../store/single-use.ts';

/** A request of a step that works once, such as a code, a link or a passkey's challenge. */
export interface Step {
  readonly name: string;
  /** What only this browser has: the cookie of the flow, its session or its CSRF token. Without it, nothing repeats. */
  readonly browser: string | undefined;
  /** What it sent: only the same request gets the same result. */
  readonly request: unknown;
}

type OnceDeps = Pick<Service, 'store' | 'now' | 'secrets'>;

interface Kept<Result> {
  readonly accountId: string | null;
  readonly result: Result;
  readonly at: number;
}

/** Keeps a result in the transaction that uses the step's secret up. */
export type Keep<Result> = (trx: StoreTransaction, kept: Kept<Result>) => Promise<void>;

const hashOf = ({ name, browser, request }: Step): string => sha256(JSON.stringify([name, browser, request]));

/** Keeps the result of a step for its own browser, which may repeat the request for a minute. */
export async function keepStep<Result>(
  { secrets }: Pick<OnceDeps, 'secrets'>,
  trx: StoreTransaction,
  { step, accountId, result, at }: Kept<Result> & { readonly step: Step },
): Promise<void> {
  if (step.browser === undefined) return;
  const sealed = secrets.seal(Buffer.from(JSON.stringify(result)));
  await keepResult(trx, { hash: hashOf(step), account_id: accountId, result: sealed, created_at: at });
}

/** What the same browser got for the same request less than a minute ago. */
export async function repeatedStep<Result>(
  { secrets }: Pick<OnceDeps, 'secrets'>,
  store: Store,
  { step, now }: { readonly step: Step; readonly now: number },
): Promise<Result | undefined> {
  if (step.browser === undefined) return undefined;
  const sealed = await findResult(store, { hash: hashOf(step), now });
  return sealed === undefined ? undefined : (JSON.parse(secrets.open(sealed).toString()) as Result);
}

interface Repeatable<Result> {
  readonly step: Step;
  /** The result to give again; undefined if it no longer holds, such as after its session ended. */
  again(result: Result): Promise<Result | undefined>;
}

/**
 * Runs a step that works once. If it is refused because the same browser has just used it up, at the same moment or with a
 * response that was lost, returns what it got then. `work` keeps its result in its transaction.
 */
export async function once<Result>(
  service: OnceDeps,
  { step, again }: Repeatable<Result>,
  work: (keep: Keep<Result>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work((trx, kept) => keepStep(service, trx, { ...kept, step }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (step.browser === undefined) throw error;
    const { store, now } = service;
    // In a transaction, because SQLite shows what the other request wrote only after their common commit.
    const result = await store.transaction().execute((trx) => repeatedStep<Result>(service, trx, { step, now: now() }));
    const repeated = result === undefined ? undefined : await again(result);
    if (repeated === undefined) throw error;
    return repeated;
  }
}
