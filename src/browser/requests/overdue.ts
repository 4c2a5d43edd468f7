import { createContext, useContext, useEffect, useState } from 'react';
import { seconds } from '../../contract/durations.ts';
import { cell, useCell } from '../platform/cell.ts';
import { after } from '../platform/timer.ts';

/** Milliseconds after which a page reports a missing response; the request itself continues. */
export const overdueAfter = seconds(10);

/** How many dialogs keep requests waiting for the user rather than for the server. */
const dialogs = cell({ passkey: 0, stepUp: 0 });

/** Stops the time of overdue requests while a dialog is open. Returns a function that continues it. */
export function waitForUser(dialog: 'passkey' | 'stepUp'): () => void {
  const count = (change: 1 | -1) => dialogs.write({ ...dialogs.read(), [dialog]: dialogs.read()[dialog] + change });
  count(1);
  return () => count(-1);
}

/** Whether a component is in the dialog of a step-up, whose own requests wait for the server. */
export const InStepUp = createContext(false);

/** Whether the user has waited for the server for too long. */
export function useOverdue(waiting: boolean): boolean {
  const [isOverdue, setOverdue] = useState(false);
  const { passkey, stepUp } = useCell(dialogs);
  const isBehindDialog = !useContext(InStepUp) && stepUp > 0;
  const counts = waiting && passkey === 0 && !isBehindDialog;
  useEffect(() => {
    if (!counts) return;
    const stop = after(overdueAfter, () => setOverdue(true));
    return () => {
      stop();
      setOverdue(false);
    };
  }, [counts]);
  return isOverdue;
}
