import { AsyncLocalStorage } from 'node:async_hooks';
import { seconds } from '../contract/units.ts';

/** How long (ms) all statements of a request may take together, so that a hung database causes a 503 within 2 s. */
export const databaseBudget = seconds(1.6);

export interface TimeBudget {
  /** How long a request may still wait (ms). */
  left: number;
  /** A flood can consist of such requests: they leave some connections to the others, such as refreshes. */
  readonly yields: boolean;
}

const budgets = new AsyncLocalStorage<TimeBudget>();

/**
 * Runs a request whose statements share a time budget (ms), including waits in queues. Work that outlives it has none.
 */
export const withinBudget = <T>(
  work: () => Promise<T>,
  left = databaseBudget,
  { yields = false }: Partial<Pick<TimeBudget, 'yields'>> = {},
): Promise<T> => {
  const budget = { left, yields };
  // Emails that it triggered and streams that it opened keep its async context long after the response.
  return budgets.run(budget, work).finally(() => {
    budget.left = Number.POSITIVE_INFINITY;
  });
};

/** The current request's budget; undefined outside of requests. */
export const budgetOfRequest = (): TimeBudget | undefined => budgets.getStore();

/** Time left for the current request (ms); infinite outside of requests, where only the statement's limit applies. */
export const budgetLeft = (): number => budgets.getStore()?.left ?? Number.POSITIVE_INFINITY;

export const yieldsConnections = (): boolean => budgets.getStore()?.yields ?? false;

export function spend(milliseconds: number): void {
  const budget = budgets.getStore();
  if (budget) budget.left -= milliseconds;
}
