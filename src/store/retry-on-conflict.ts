import { setTimeout as pause } from 'node:timers/promises';

/** How often we try a transaction that conflicts with others, before the request fails and asks the client to retry. */
const attempts = 6;
/** Base of the random back-off, in milliseconds; it doubles with each attempt. */
const firstPause = 10;

/**
 * Class 40 of SQLSTATE: the server rolled back a transaction due to a conflict, so a retry may succeed. The same is
 * true of a statement that was prepared before a newer node changed its table.
 */
function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' && (code.startsWith('40') || isStalePlan({ code, message }));
}

export const isStalePlan = ({ code, message }: { code?: unknown; message?: unknown }): boolean =>
  code === '0A000' && String(message).startsWith('cached plan');

/** Retries work that failed due to a conflict, after a random back-off, so that the same two do not collide again. */
export async function retryOnConflict<T>(work: () => Promise<T>, mayRetry: () => boolean = () => true): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isPassing(error) || !mayRetry()) throw error;
    }
    await pause(Math.random() * firstPause * 2 ** attempt);
  }
}
