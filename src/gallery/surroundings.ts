/*
 * Isolated storage and cookies for this document. They start empty and vanish with it, so looking at states does not
 * affect the product in another tab.
 */

class OwnStorage implements Storage {
  readonly #kept = new Map<string, string>();
  get length(): number {
    return this.#kept.size;
  }
  key = (at: number): string | null => [...this.#kept.keys()][at] ?? null;
  getItem = (key: string): string | null => this.#kept.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.#kept.set(key, value);
  removeItem = (key: string): void => void this.#kept.delete(key);
  clear = (): void => this.#kept.clear();
}

const cookies = new Map<string, string>();

function writeCookie(cookie: string): void {
  const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? [];
  if (/max-age=0\b/i.test(attributes)) cookies.delete(name);
  else cookies.set(name, value);
}

const storages = { sessionStorage: new OwnStorage(), localStorage: new OwnStorage() };
for (const [name, value] of Object.entries(storages)) Object.defineProperty(window, name, { value });
Object.defineProperty(document, 'cookie', {
  get: () => [...cookies].map((pair) => pair.join('=')).join('; '),
  set: writeCookie,
});

const head = new Set<Element>(document.head.children);

/** Restores storage, cookies and head as they were when the document opened. */
export function emptySurroundings(): void {
  cookies.clear();
  for (const storage of Object.values(storages)) storage.clear();
  for (const added of document.head.querySelectorAll('meta, title')) if (!head.has(added)) added.remove();
  // Properties that a state has overridden.
  for (const name of Object.getOwnPropertyNames(navigator)) Reflect.deleteProperty(navigator, name);
}
