import { startTransition, useEffect, useState } from 'react';
import { seconds } from '../../contract/units.ts';
import { timerLimit } from '../constants.ts';

/** Runs `act` after `delay` milliseconds, which may exceed a browser's timer limit. Returns a cancel function. */
export function after(delay: number, act: () => void): () => void {
  const step = Math.min(delay, timerLimit);
  let cancel = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    if (step === delay) act();
    else cancel = after(delay - step, act);
  }, step);
  return () => cancel();
}

/**
 * Counts down to a deadline (milliseconds since 1970): returns the whole seconds left, also as a clock, `4:59`.
 * Reads the time each second, so a tab that slept is right when it wakes. If more than `max` milliseconds seem to be
 * left, someone set the device's clock back, and the countdown ends.
 */
export function useCountdown(deadline: number | undefined, max: number): { left: number; clock: string } {
  const [{ now, until }, setNow] = useState({ now: 0, until: undefined as number | undefined });
  const look = () => setNow({ now: Date.now(), until: deadline });
  // Count a new deadline from the current time, not from the last tick.
  if (!Object.is(until, deadline)) look();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `look` depends only on the deadline
  useEffect(() => {
    if (deadline === undefined) return;
    const tick = () => {
      look();
      if (Date.now() >= deadline) clearInterval(timer);
    };
    const timer = setInterval(tick, seconds(1));
    tick();
    return () => clearInterval(timer);
  }, [deadline]);
  const wait = (deadline ?? 0) - now;
  const left = wait > max ? 0 : Math.max(0, Math.ceil(wait / seconds(1)));
  return { left, clock: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` };
}

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
