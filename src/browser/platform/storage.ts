import { useSyncExternalStore } from 'react';
import { cookieLifetime } from '../../contract/pages.ts';
import { after } from './timers.ts';

type SessionKey =
  | 'token'
  | 'account'
  | 'deletion_canceled'
  | 'link'
  | 'return_place'
  | 'registered_at'
  | 'reloaded_at'
  | 'reloaded_for'
  | 'left'
  | 'entered_by'
  | `draft.${string}`;
type LocalKey =
  | 'email'
  | 'locale'
  | 'db_type'
  | 'touched_at'
  | 'sign_out_due'
  | 'return_of_link'
  | `view.${string}`
  | 'phone'
  | `offered_passkey.${string}`;

/** A storage area that falls back to memory, for the life of the page, if the browser forbids storage. */
function area<Key extends string>(open: () => Storage) {
  const memory = new Map<string, string>();
  const tryStorage = <T>(act: (storage: Storage) => T): T | undefined => {
    try {
      return act(open());
    } catch {
      return undefined;
    }
  };
  return {
    read: (key: Key): string | undefined => tryStorage((storage) => storage.getItem(key)) ?? memory.get(key),
    write(key: Key, value: string | undefined): void {
      memory.delete(key);
      if (value === undefined) tryStorage((storage) => storage.removeItem(key));
      else if (!tryStorage((storage) => [storage.setItem(key, value)])) memory.set(key, value);
    },
    /** Removes every value whose key begins like this. */
    forgetAll(beginning: string): void {
      const stored = tryStorage((storage) => Object.keys(storage)) ?? [];
      for (const key of [...memory.keys(), ...stored]) if (key.startsWith(beginning)) this.write(key as Key, undefined);
    },
    /** Parses a stored JSON object; empty if it is anything else, since other programs can also write here. */
    readRecord(key: Key): Record<string, unknown> {
      try {
        const kept: unknown = JSON.parse(this.read(key) ?? '{}');
        return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? { ...kept } : {};
      } catch {
        return {};
      }
    },
    /** Whether the value outlives the page. */
    lasts: (key: Key): boolean => !memory.has(key),
  };
}

/** Every storage key (specification, section 3), for one tab or for all tabs. */
export const tabStorage = area<SessionKey>(() => sessionStorage);
export const browserStorage = area<LocalKey>(() => localStorage);

/** The value of a cookie; undefined if it is missing or malformed, or if the browser blocks cookies. */
export const readCookie = (name: string): string | undefined => readCookies(name)[0];

/** The values of all cookies with a name, which parent domains can also set; without malformed ones. */
export function readCookies(name: string): string[] {
  try {
    const found = document.cookie.split('; ').filter((pair) => pair.startsWith(`${name}=`));
    return found.flatMap((pair) => decoded(pair.slice(name.length + 1)));
  } catch {
    return [];
  }
}

function decoded(value: string): string[] {
  try {
    return [decodeURIComponent(value)];
  } catch {
    return [];
  }
}

/** Sets a cookie for one day, or for `lifetime` milliseconds; 0 removes it. */
export function writeCookie(name: string, value: string, lifetime = cookieLifetime): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every baseline browser
    document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; SameSite=Lax; Max-Age=${lifetime / 1000}${secure}`;
  } catch {
    // A browser that blocks cookies works without the value.
  }
}

/** An observable value outside the React tree. */
interface Cell<T> {
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

/** Opens a channel between the tabs of this browser; undefined if the browser partitions or forbids it. */
export function openChannel<Message>(name: string, hear: (message: Message) => void): BroadcastChannel | undefined {
  // While pages are rendered, an open channel would keep Node's process alive.
  if (typeof window === 'undefined') return undefined;
  try {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
    return channel;
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` in one tab of this browser at a time (Web Locks). A tab that has waited for `longest` milliseconds goes
 * ahead without the lock, as does a browser without Web Locks.
 */
export async function withTabLock<Result>(name: string, longest: number, work: () => Promise<Result>): Promise<Result> {
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) return work();
  const waiting = new AbortController();
  const stop = after(longest, () => waiting.abort());
  const begin = () => {
    stop();
    return work();
  };
  try {
    return await locks.request(name, { signal: waiting.signal }, begin);
  } catch (failure) {
    // A DOMException comes from the lock (timeout, or locks are forbidden), not from `work`.
    if (failure instanceof DOMException) return begin();
    throw failure;
  }
}
