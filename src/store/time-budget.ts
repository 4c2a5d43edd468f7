import { AsyncLocalStorage } from 'node:async_hooks';
import { seconds } from '../contract/durations.ts';

/** How long (ms) a request waits for the database, in all that it asks of it: a hung one becomes a 503 within two seconds. */
// mutation: endless-wait, slow-counts-as-down
export const databaseBudget = seconds(1.6);

/** What a request may still wait (ms). */
export interface TimeBudget {
  left: number;
}

const budgets = new AsyncLocalStorage<TimeBudget>();

/** Runs a request: all that it asks of the database, queues included, shares one budget (ms). What outlives it has none. */
export const withinBudget = <T>(work: () => Promise<T>, left = databaseBudget): Promise<T> => {
  const budget = { left };
  // A letter that it hurried is sent, and a stream that it opened flows, on its thread of calls long after its answer.
  return budgets.run(budget, work).finally(() => {
    budget.left = Number.POSITIVE_INFINITY;
  });
};

/** The request's; undefined where there is none. */
export const budgetOfRequest = (): TimeBudget | undefined => budgets.getStore();

/** What the request has left (ms); without a request there is no limit but the statement's own. */
export const budgetLeft = (): number => budgets.getStore()?.left ?? Number.POSITIVE_INFINITY;

export function spend(milliseconds: number): void {
  const budget = budgets.getStore();
  if (budget) budget.left -= milliseconds;
}
