import { tabStorage } from '../platform/storage.ts';

const keyOf = (wish: string) => `draft.attempt.${wish}` as const;

/** Random, and in this tab the same for a wish until it is fulfilled: a request whose answer was lost is told it again. */
export function attemptAt(wish: string): string {
  const attempt = tabStorage.read(keyOf(wish)) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  tabStorage.write(keyOf(wish), attempt);
  return attempt;
}

/** The next wish is another one, even if it is for the same. */
export const fulfil = (wish: string): void => tabStorage.write(keyOf(wish), undefined);
