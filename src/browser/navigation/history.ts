import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { splitPath } from '../../contract/languages.ts';

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

/** Focuses the heading if the focused element disappeared with the previous step. */
const settle = () => setTimeout(() => document.activeElement === document.body && focusHeading());

/**
 * The current step of a page with several steps, stored in the tab's history: Back leaves a step, and a reload
 * or another language keeps it. Undefined is the first step.
 */
export function useStep<Step>(): readonly [step: Step | undefined, enter: (step?: Step, inPlace?: boolean) => void] {
  const [step, setStep] = useState<Step>();
  useLayoutEffect(() => {
    const here = () => splitPath(location.pathname).page;
    const own = here();
    // After Back to another page, this one keeps its step until the other arrives.
    const look = () => here() === own && setStep(shownStep() as Step);
    const lookAgain = () => {
      look();
      settle();
    };
    look();
    addEventListener('popstate', lookAgain);
    return () => removeEventListener('popstate', lookAgain);
  }, []);
  const enter = (next?: Step, inPlace = false) => {
    enterStep(next, inPlace);
    setStep(next);
    settle();
  };
  return [step, enter];
}

/** Focuses the page's heading after a link or Back. Does not scroll. */
export function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * For buttons that disappear once pressed: moves a keyboard user's focus to the heading of their section, instead of
 * the top of the page. Does not scroll.
 */
export function useKeptFocus(): void {
  const focused = useRef<{ element: Element; heading: HTMLElement | null | undefined }>(undefined);
  useEffect(() => {
    const { activeElement: element, body } = document;
    if (element && element !== body)
      focused.current = { element, heading: element.closest('section:has(h2)')?.querySelector('h2') };
    else if (focused.current?.element.isConnected === false) focused.current.heading?.focus({ preventScroll: true });
  });
}
