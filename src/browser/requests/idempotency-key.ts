import { tabStorage } from '../platform/storage.ts';

const keyOf = (operation: string) => `draft.attempt.${operation}` as const;

/** A random key, the same in this tab until the operation succeeds: after a lost response, a retry gets it again. */
export function idempotencyKeyFor(operation: string): string {
  const attempt = tabStorage.read(keyOf(operation)) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  tabStorage.write(keyOf(operation), attempt);
  return attempt;
}

/** Makes the next request a new one, even if it is equal. */
export const forgetIdempotencyKey = (operation: string): void => tabStorage.write(keyOf(operation), undefined);
