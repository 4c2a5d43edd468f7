import { startTransition, useEffect, useState } from 'react';

/** Rows in the first frame, which fill a screen, and in each later one: more take a slow phone longer than 50 ms. */
const rowsAtFirst = 20;
const rowsPerFrame = 12;

interface Gradual {
  /** Number of all items. */
  readonly count: number;
  /** Another key begins with the first items again. */
  readonly key?: string;
  /** Items in each frame; default: rows of a table. */
  readonly perFrame?: number;
}

/** How many items of a long list to draw now: the first ones immediately, and more in every frame. */
export function useGradually({ count, key = '', perFrame }: Gradual): number {
  const atFirst = perFrame ?? rowsAtFirst;
  const more = perFrame ?? rowsPerFrame;
  const [drawn, setDrawn] = useState({ key, items: atFirst });
  const items = drawn.key === key ? drawn.items : atFirst;
  useEffect(() => {
    if (items >= count) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn({ key, items: items + more })));
    return () => cancelAnimationFrame(frame);
  }, [items, count, key, more]);
  return Math.min(items, count);
}
