import { useSyncExternalStore } from 'react';

/** A value outside the tree that screens follow. */
export interface Cell<T> {
  read: () => T;
  write: (value: T) => void;
  follow: (listener: () => void) => () => void;
}

/** Makes a value that components can follow with `useCell`. */
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

/** The cell's value; `prerendered` is what the server showed, where that differs. */
export const useCell = <T>({ read, follow }: Cell<T>, prerendered: () => T = read): T =>
  useSyncExternalStore(follow, read, prerendered);
