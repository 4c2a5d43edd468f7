import { useEffect } from 'react';

/** Marks the page as alive, and sends a form that somebody submitted before: see `early.ts`. */
export function useHydrated(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset.alive = '';
    if (!('submitted' in dataset)) return;
    delete dataset.submitted;
    // After the form has been filled with what was kept for it.
    setTimeout(() => document.forms[0]?.requestSubmit());
  }, []);
}
