import { useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';
import { after } from '../platform/timer.ts';

/** Milliseconds after which an answer that has not come is said to be missing; nothing is given up for that. */
export const overdueAfter = seconds(10);

/** Whether somebody has been waiting for too long. */
export function useOverdue(waiting: boolean): boolean {
  const [overdue, setOverdue] = useState(false);
  useEffect(() => {
    if (!waiting) return;
    const stop = after(overdueAfter, () => setOverdue(true));
    return () => {
      stop();
      setOverdue(false);
    };
  }, [waiting]);
  return overdue;
}
