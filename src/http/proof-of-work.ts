import type { FastifyRequest } from 'fastify';
import { Failure } from '../contract/failures.ts';
import { proofOfWorkHeader, readyForTask } from '../contract/sign-in/proof-of-work.ts';
import type { Service } from '../server/service.ts';
import { deviceTokenOf } from './session/cookies.ts';

const header = proofOfWorkHeader.toLowerCase();

/**
 * Runs a request that a solved task moves ahead of others. During a flood, a browser that offered to solve a task gets
 * one instead of a long wait, and a new one after an invalid solution. Other clients wait as long as any request may.
 * `run` uses up the solution as its first query.
 */
export async function withProofOfWork<T>(
  service: Pick<Service, 'proofOfWork' | 'cookies'>,
  request: FastifyRequest,
  run: (useProof?: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { proofOfWork, cookies } = service;
  const proof = request.headers[header];
  // A device cookie is usually of a known device, which has a lane of its own.
  if (typeof proof !== 'string' || deviceTokenOf(request, cookies) !== undefined) return run();
  const purpose = { path: request.routeOptions.url ?? '', source: request.visitor.source };
  const refusal = () => new Failure('try_again_later', { retryAfter: 1, task: proofOfWork.newTask(purpose) });
  const orTask = (error: unknown): never => {
    throw error instanceof Failure && error.detail.isCrowded ? refusal() : error;
  };
  if (proof === readyForTask) {
    request.visitor = { ...request.visitor, work: 'ready' };
    return run().catch(orTask);
  }
  const task = proofOfWork.verify(proof, purpose);
  if (task === undefined) throw refusal();
  request.visitor = { ...request.visitor, work: 'done' };
  const useProof = async () => {
    if (!(await proofOfWork.use(task))) throw refusal();
  };
  return run(useProof).catch(orTask);
}
