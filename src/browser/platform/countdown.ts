import { useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';

/**
 * Counts down to a deadline (milliseconds since 1970): returns the whole seconds left, also as a clock, `4:59`.
 * Reads the time each second, so a tab that slept is right when it wakes. If more than `atMost` milliseconds seem to be
 * left, someone set the device's clock back, and the countdown ends.
 */
export function useCountdown(deadline: number | undefined, atMost: number): { left: number; clock: string } {
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
  const left = wait > atMost ? 0 : Math.max(0, Math.ceil(wait / seconds(1)));
  return { left, clock: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` };
}
