import { cell } from '../platform/storage.ts';
import { trusted } from '../platform/trusted.ts';
import { RequestFailure } from '../requests/request-status.ts';
import solverUrl from './solver.worker.ts?worker&url';

interface Repeated {
  readonly signal: AbortSignal | undefined;
  /** Sends the request again with a proof; without one, it waits behind others. */
  send(proof: string | undefined): Promise<unknown>;
}

/** A changed network or a growing flood voids a solution, and the server gives us another task. */
const maxTasks = 3;

/** Solves a task and repeats its request. If the browser cannot solve tasks, the request waits behind others. */
export async function solveFor(first: string, { signal, send }: Repeated): Promise<unknown> {
  solving.write(true);
  try {
    let task = first;
    for (let tasks = 1; tasks <= maxTasks; tasks += 1) {
      const proof = await solveInWorker(task, signal).catch(() => undefined);
      signal?.throwIfAborted();
      if (proof === undefined) break;
      try {
        return await send(proof);
      } catch (failure) {
        if (!(failure instanceof RequestFailure) || !failure.task) throw failure;
        task = failure.task;
      }
    }
    return await send(undefined);
  } finally {
    solving.write(false);
  }
}

async function solveInWorker(task: string, signal: AbortSignal | undefined): Promise<string> {
  const worker = new Worker(trusted(solverUrl), { type: 'module' });
  return new Promise<string>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<string>) => resolve(data);
    worker.onerror = reject;
    signal?.addEventListener('abort', reject);
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}

/** Whether a request waits for the solution of a task, so that the page can explain the wait. */
export const solving = cell(false);
