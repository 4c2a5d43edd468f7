import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';

const everything = Number.POSITIVE_INFINITY;

interface LongListProps {
  readonly className: string | undefined;
  /** `<li>`s. */
  readonly items: readonly ReactElement[];
  /** How many are shown before somebody wants more; without `step`, the others then come together. */
  readonly atFirst?: number;
  readonly step?: number;
  /** The key of one that stays, wherever it is: somebody is busy with it. */
  readonly kept?: string | undefined;
  /** The button that shows so many others, too. */
  readonly more: (next: number, show: () => void) => ReactNode;
}

/** A list that shows its first few until somebody wants more. */
export function LongList({ className, items, atFirst = 5, step = everything, kept, more }: LongListProps) {
  const [shown, setShown] = useState(atFirst);
  const list = useRef<HTMLUListElement>(null);
  /** Place of the first that came last. */
  const came = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when more of it is shown
  useEffect(() => {
    const next = came.current === undefined ? undefined : list.current?.children[came.current];
    if (!(next instanceof HTMLElement)) return;
    // The button that had the focus is gone, or further down.
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }, [shown]);
  const left = items.length - shown;
  const show = () => {
    came.current = shown;
    setShown(shown + step);
  };
  return (
    <>
      {items.length > 0 && (
        <ul ref={list} className={className}>
          {items.filter(({ key }, at) => at < shown || (kept !== undefined && key === kept))}
        </ul>
      )}
      {left > 0 && more(Math.min(step, left), show)}
    </>
  );
}
