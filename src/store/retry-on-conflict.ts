import { setTimeout as pause } from 'node:timers/promises';

/** How often a transaction is tried that others were in the way of; after that the request is told to come again. */
const attempts = 6;
/** Milliseconds of the first pause, at most; each further one may take twice as long. */
const firstPause = 10;

/**
 * Class 40 of SQLSTATE: the server undid a transaction because of others, and it may be made anew. So it is with a
 * statement that was prepared before a newer node changed its table.
 */
function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' && (code.startsWith('40') || isStalePlan({ code, message }));
}

export const isStalePlan = ({ code, message }: { code?: unknown; message?: unknown }): boolean =>
  code === '0A000' && String(message).startsWith('cached plan');

/** Does what failed for others' sake again, after a pause of random length: two that collided must not collide again. */
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
