import { tabStorage } from '../platform/storage.ts';

const keyOf = (operation: string) => `draft.attempt.${operation}` as const;

/** Random, and in this tab the same for a wish until it is fulfilled: a request whose answer was lost is told it again. */
export function idempotencyKeyFor(operation: string): string {
  const attempt = tabStorage.read(keyOf(operation)) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  tabStorage.write(keyOf(operation), attempt);
  return attempt;
}

/** The next wish is another one, even if it is for the same. */
export const forgetIdempotencyKey = (operation: string): void => tabStorage.write(keyOf(operation), undefined);
