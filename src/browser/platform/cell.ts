import { useSyncExternalStore } from 'react';

/** An observable value outside the React tree. */
export interface Cell<T> {
  read: () => T;
  write: (value: T) => void;
  follow: (listener: () => void) => () => void;
}

/** Creates a value that components subscribe to with `useCell`. */
export function cell<T>(first: T): Cell<T> {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    read: () => current,
    write(value) {
      current = value;
      for (const listener of listeners) listener();
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The cell's value; `prerendered` returns the value on the server, if that differs. */
export const useCell = <T>({ read, follow }: Cell<T>, prerendered: () => T = read): T =>
  useSyncExternalStore(follow, read, prerendered);
