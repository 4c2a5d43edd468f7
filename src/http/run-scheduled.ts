import type { FastifyRequest } from 'fastify';
import type { Service } from '../server/service.ts';
import { withinBudget } from '../store/time-budget.ts';

/** Runs a request that no endpoint of the contract describes: in its fair turn, and within the time budget. */
export async function runScheduled<T>(
  { scheduler, waitsFor }: Pick<Service, 'scheduler' | 'waitsFor'>,
  { visitor }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  const turn = scheduler.begin(visitor);
  if (turn) await turn;
  return withinBudget(work, waitsFor, { yields: true });
}
