import { type RefObject, startTransition, useEffect, useRef, useState } from 'react';
import { useGradually } from '../../../browser/platform/gradually.ts';

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
  const shown = Math.min(count, step * (1 + (pressed.key === key ? pressed.times : 0)));
  const drawn = useGradually({ count: shown, key });
  const came = useRef<number>(undefined);
  useEffect(() => {
    if (came.current === undefined || came.current >= drawn) return;
    const next = (container.current as HTMLElement | null)?.children[came.current];
    came.current = undefined;
    // The heading of a group may have no link.
    const link = next?.querySelector('a') ?? next?.nextElementSibling?.querySelector('a');
    link?.focus({ preventScroll: true });
  }, [drawn]);
  const show = () => {
    came.current = shown;
    // A transition renders the items in short tasks.
    startTransition(() => setPressed({ key, times: (pressed.key === key ? pressed.times : 0) + 1 }));
  };
  return { container, shown, drawn, left: count - shown, show };
}
