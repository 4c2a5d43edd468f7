/** How an address enters the tab's history: as a new entry, in place of this one, or by going back or forward. */
export type Entry = 'push' | 'replace' | 'pop';

const positions = new Map<number, number>();
let shown = 0;
let newest = 0;

/** Makes an address that of the tab, and tells how far down the page was when it was left, if it was. */
export function enterHistory(entry: Entry, url: URL, step?: unknown): number {
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

/** Makes a step of the page that is shown an entry of its own, or puts it in place of this one. */
export function enterStep(step: unknown, inPlace: boolean): void {
  positions.set(shown, scrollY);
  write(!inPlace, step);
}

interface State {
  readonly entry?: number;
  readonly step?: unknown;
}

const entryNumber = (): number => (history.state as State | null)?.entry ?? 0;

/** The step of the entry that is shown. */
export const shownStep = (): unknown => (history.state as State | null)?.step;

/** Takes over scrolling, because pages arrive later than the address; a reload is the browser's again. */
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
