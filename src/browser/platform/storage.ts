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
