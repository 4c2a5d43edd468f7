import { AsyncLocalStorage } from 'node:async_hooks';
import { seconds } from '../contract/durations.ts';

/** How long (ms) a request waits for the database, in all that it asks of it: a hung one becomes a 503 within two seconds. */
export const databaseBudget = seconds(1.6);

const budgets = new AsyncLocalStorage<{ left: number }>();

/** Runs a request: all that it asks of the database, queues included, shares one budget. */
export const withinBudget = <T>(work: () => T): T => budgets.run({ left: databaseBudget }, work);

/** What the request has left (ms); without a request there is no limit but the statement's own. */
export const budgetLeft = (): number => budgets.getStore()?.left ?? Number.POSITIVE_INFINITY;

export function spend(milliseconds: number): void {
  const budget = budgets.getStore();
  if (budget) budget.left -= milliseconds;
}
