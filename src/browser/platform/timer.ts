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
