import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';

const shownAtFirst = 5;

interface LongListProps {
  readonly className: string | undefined;
  /** `<li>`s. */
  readonly items: readonly ReactElement[];
  /** The button that shows the others, too. */
  readonly more: (left: number, show: () => void) => ReactNode;
}

/** A list that shows its first few until somebody wants all. */
export function LongList({ className, items, more }: LongListProps) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const next = list.current?.children[shownAtFirst];
    if (!all || !(next instanceof HTMLElement)) return;
    // The button that had the focus is gone.
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }, [all]);
  const left = items.length - shownAtFirst;
  return (
    <>
      {items.length > 0 && (
        <ul ref={list} className={className}>
          {all ? items : items.slice(0, shownAtFirst)}
        </ul>
      )}
      {!all && left > 0 && more(left, () => setAll(true))}
    </>
  );
}
