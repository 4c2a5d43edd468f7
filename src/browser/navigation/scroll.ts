/** How an address enters the tab's history: as a new entry, in place of this one, or by going back or forward. */
export type Entry = 'push' | 'replace' | 'pop';

const positions = new Map<number, number>();
let shown = 0;
let newest = 0;

/** Makes an address that of the tab, and tells how far down the page was when it was left, if it was. */
export function enterHistory(entry: Entry, url: URL): number {
  positions.set(shown, scrollY);
  if (entry === 'pop') shown = entryNumber();
  else {
    const isNew = entry === 'push' && url.href !== location.href;
    if (isNew) {
      newest += 1;
      shown = newest;
    }
    history[isNew ? 'pushState' : 'replaceState']({ entry: shown }, '', url);
  }
  return entry === 'pop' ? (positions.get(shown) ?? 0) : 0;
}

const entryNumber = (): number => (history.state as { entry?: number } | null)?.entry ?? 0;

/** Takes scrolling into our hands, because pages arrive later than the address; a reload is the browser's again. */
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
