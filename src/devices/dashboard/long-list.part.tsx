import { Fragment, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';

const everything = Number.POSITIVE_INFINITY;

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

/** A list that shows its first items, and more on demand. */
export function LongList({
  className,
  items,
  atFirst = 5,
  step = everything,
  kept,
  more,
  around = (list, button) => [list, button],
}: LongListProps) {
  const [shown, setShown] = useState(atFirst);
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
  }, [shown]);
  const left = items.length - shown;
  const show = () => {
    came.current = shown;
    setShown(shown + step);
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
