import { startTransition, useEffect, useState } from 'react';

/** Drawing more rows than this in one frame takes a slow phone longer than 50 ms. */
const rowsPerFrame = 20;

interface Gradual {
  /** Number of all items. */
  readonly count: number;
  /** Another key begins with the first items again. */
  readonly key?: string;
  /** Items in the first frame, and in each one after it. */
  readonly perFrame?: number;
}

/** How many items of a long list to draw now: the first ones immediately, and more in every frame. */
export function useGradually({ count, key = '', perFrame = rowsPerFrame }: Gradual): number {
  const [drawn, setDrawn] = useState({ key, items: perFrame });
  const items = drawn.key === key ? drawn.items : perFrame;
  useEffect(() => {
    if (items >= count) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn({ key, items: items + perFrame })));
    return () => cancelAnimationFrame(frame);
  }, [items, count, key, perFrame]);
  return Math.min(items, count);
}
