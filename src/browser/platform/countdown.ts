import { useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';

/**
 * Counts down to a deadline (milliseconds since 1970): whole seconds left, and as a clock, `4:59`.
 * Computed from the time each second, so that a sleeping tab is right when it wakes. More than `atMost` milliseconds are
 * never left: then the device's clock was put back, and nobody is kept waiting for that.
 */
export function useCountdown(deadline: number | undefined, atMost: number): { left: number; clock: string } {
  const [{ now, until }, setNow] = useState({ now: 0, until: undefined as number | undefined });
  const look = () => setNow({ now: Date.now(), until: deadline });
  // A new deadline is counted from now, and not from what the clock was when it last stood still.
  if (!Object.is(until, deadline)) look();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `look` knows nothing but the deadline
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
