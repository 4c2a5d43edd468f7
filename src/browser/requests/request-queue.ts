import { useEffect, useRef } from 'react';
import { useRequest } from './request-status.ts';

/**
 * Runs `ask` for one thing after another, in the order of the clicks: while one line of a list is pending, a click on
 * another line still counts, but a second click on the same line does nothing. A failure discards the clicks after it.
 */
export function useRequestQueue<Input extends unknown[]>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<unknown>,
) {
  const request = useRequest(ask);
  const { current: waiting } = useRef<{ readonly key: string; readonly input: Input }[]>([]);
  useEffect(
    () => () => {
      waiting.length = 0;
    },
    [waiting],
  );
  /** `key` identifies the line. */
  async function start(key: string, ...input: Input): Promise<void> {
    if (waiting.some((other) => other.key === key)) return;
    waiting.push({ key, input });
    if (waiting.length > 1) return;
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (await request.start(...next.input)) waiting.length = 0;
      else waiting.shift();
    }
  }
  return { state: request.state, error: request.error, start };
}
