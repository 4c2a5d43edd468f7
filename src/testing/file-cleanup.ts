const waiting: (() => Promise<unknown> | unknown)[] = [];

/** Registers an action for the end of the test file; the last registered runs first. */
export const onFileEnd = (act: () => Promise<unknown> | unknown): void => void waiting.push(act);

/** Runs the actions that this file's tests registered. */
export async function runFileCleanup(): Promise<void> {
  for (let act = waiting.pop(); act; act = waiting.pop()) await act();
}
