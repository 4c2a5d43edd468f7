import { Fragment, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

const everything = Number.POSITIVE_INFINITY;

/** Whether the browser is about to print the page. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser takes the page as it is when the event ends.
    const note = ({ type }: Event) => flushSync(() => setPrinting(type === 'beforeprint'));
    const types = ['beforeprint', 'afterprint'];
    for (const type of types) addEventListener(type, note);
    return () => {
      for (const type of types) removeEventListener(type, note);
    };
  }, []);
  return isPrinting;
}

interface LongListProps {
  readonly className: string | undefined;
  /** `<li>`s. */
  readonly items: readonly ReactElement[];
  /** Number of items at first; without `step`, the button shows all others. */
  readonly atFirst?: number;
  readonly step?: number;
  /** Key of an item that is always shown, because the user is working with it. */
  readonly kept?: string | undefined;
  /** Renders the button that shows the `next` items; 0 if there are no more. */
  readonly more: (next: number, show: () => void) => ReactNode;
  /** Places both; default: the button below the list. */
  readonly around?: (list: ReactNode, more: ReactNode) => ReactNode;
}

/** A list that shows its first items, and more on demand; on paper, all of them. */
export function LongList({
  className,
  items,
  atFirst = 5,
  step = everything,
  kept,
  more,
  around = (list, button) => [list, button],
}: LongListProps) {
  const isPrinting = usePrinting();
  const [asked, setShown] = useState(atFirst);
  const shown = isPrinting ? everything : asked;
  const list = useRef<HTMLUListElement>(null);
  /** Index of the first item that was added last. */
  const came = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when more items appear
  useEffect(() => {
    const next = came.current === undefined ? undefined : list.current?.children[came.current];
    if (!(next instanceof HTMLElement)) return;
    // The focused button is gone or has moved down.
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }, [asked]);
  const left = items.length - shown;
  const show = () => {
    came.current = asked;
    setShown(asked + step);
  };
  return around(
    items.length > 0 && (
      <ul key="list" ref={list} className={className}>
        {items.filter(({ key }, at) => at < shown || (kept !== undefined && key === kept))}
      </ul>
    ),
    <Fragment key="more">{more(Math.max(0, Math.min(step, left)), show)}</Fragment>,
  );
}
