const waiting: (() => Promise<unknown> | unknown)[] = [];

/** Does something when the test file has ended: what was asked for last, first. */
export const onFileEnd = (act: () => Promise<unknown> | unknown): void => void waiting.push(act);

/** Does what this file's tests have left to do. */
export async function runFileCleanup(): Promise<void> {
  for (let act = waiting.pop(); act; act = waiting.pop()) await act();
}
