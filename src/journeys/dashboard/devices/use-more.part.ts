import { type RefObject, startTransition, useEffect, useRef, useState } from 'react';

interface More {
  /** Number of all items. */
  readonly count: number;
  /** Items at first, and for each press of the button. */
  readonly step: number;
  /** Another key shows the first items again. */
  readonly key: string;
}

/** Shows the first items of a long list, and more on demand, which moves the focus to the first added one. */
export function useMore({ count, step, key }: More) {
  const [pressed, setPressed] = useState({ key, times: 0 });
  const container: RefObject<never> = useRef(null as never);
  const shown = step * (1 + (pressed.key === key ? pressed.times : 0));
  const came = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when more items appear
  useEffect(() => {
    const list = container.current as HTMLElement | null;
    const next = came.current === undefined ? undefined : list?.children[came.current];
    came.current = undefined;
    // The heading of a group may have no link.
    const link = next?.querySelector('a') ?? next?.nextElementSibling?.querySelector('a');
    link?.focus({ preventScroll: true });
  }, [shown]);
  const show = () => {
    came.current = shown;
    // A transition renders the items in short tasks.
    startTransition(() => setPressed({ key, times: (pressed.key === key ? pressed.times : 0) + 1 }));
  };
  return { container, shown, left: Math.max(0, count - shown), show };
}
