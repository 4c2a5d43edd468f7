/*
 * What a screen finds around it in a browser, but for this document alone: its storage and cookies begin empty and
 * are forgotten with it, so that looking at states changes nothing for whoever uses the product beside them.
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

Object.defineProperty(window, 'sessionStorage', { value: new OwnStorage() });
Object.defineProperty(window, 'localStorage', { value: new OwnStorage() });
Object.defineProperty(document, 'cookie', {
  get: () => [...cookies].map((pair) => pair.join('=')).join('; '),
  set: writeCookie,
});
