/** How an address enters the history: as a new entry, by replacing the current one, or by Back or Forward. */
export type HistoryEntry = 'push' | 'replace' | 'pop';

const positions = new Map<number, number>();
let shown = 0;
let newest = 0;

/** Shows an address in the address bar. Returns, after Back or Forward, the entry's scroll position in pixels, or 0. */
export function enterHistory(entry: HistoryEntry, url: URL, step?: unknown): number {
  positions.set(shown, scrollY);
  if (entry === 'pop') shown = entryNumber();
  else write(entry === 'push' && url.href !== location.href, step, url);
  return entry === 'pop' ? (positions.get(shown) ?? 0) : 0;
}

function write(isNew: boolean, step: unknown, url?: URL): void {
  if (isNew) {
    newest += 1;
    shown = newest;
  }
  history[isNew ? 'pushState' : 'replaceState']({ entry: shown, step }, '', url);
}

/** Adds a history entry for a step of the current page, or replaces the current entry. */
export function enterStep(step: unknown, inPlace: boolean): void {
  positions.set(shown, scrollY);
  write(!inPlace, step);
}

interface State {
  readonly entry?: number;
  readonly step?: unknown;
}

const entryNumber = (): number => (history.state as State | null)?.entry ?? 0;

/** The step of the current history entry. */
export const shownStep = (): unknown => (history.state as State | null)?.step;

/** Takes over scroll restoration, since a page arrives later than its address; reloads stay with the browser. */
export function ownScrolling(): () => void {
  shown = entryNumber();
  newest = shown;
  const take = () => {
    history.scrollRestoration = 'manual';
  };
  const giveBack = () => {
    history.scrollRestoration = 'auto';
  };
  take();
  addEventListener('pageshow', take);
  addEventListener('pagehide', giveBack);
  return () => {
    removeEventListener('pageshow', take);
    removeEventListener('pagehide', giveBack);
  };
}
