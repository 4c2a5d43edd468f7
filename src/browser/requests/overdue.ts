import { useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';
import { cell, useCell } from '../platform/cell.ts';
import { after } from '../platform/timer.ts';

/** Milliseconds after which a page reports a missing response; the request itself continues. */
export const overdueAfter = seconds(10);

/** True while a request waits for the user rather than for the server. */
export const overduePaused = cell(false);

/** Whether the user has waited for too long. */
export function useOverdue(pending: boolean): boolean {
  const waiting = !useCell(overduePaused) && pending;
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
