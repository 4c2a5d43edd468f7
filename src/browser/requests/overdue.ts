import { useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';
import { after } from '../platform/timer.ts';

/** Milliseconds after which a page reports a missing response; the request itself continues. */
export const overdueAfter = seconds(10);

/** Whether the user has waited for too long. */
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
