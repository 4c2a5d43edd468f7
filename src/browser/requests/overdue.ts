import { useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';
import { after } from '../platform/timer.ts';

/** Milliseconds after which a page reports a missing response; the request itself continues. */
export const overdueAfter = seconds(10);

/** Whether requests wait for the user rather than for the server, in a dialog. */
export const overdue = { isPaused: false };

/** Whether the user has waited for too long. */
export function useOverdue(waiting: boolean): boolean {
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    if (!waiting) return;
    const stop = after(overdueAfter, () => setOverdue(!overdue.isPaused));
    return () => {
      stop();
      setOverdue(false);
    };
  }, [waiting]);
  return isOverdue;
}
