import { useEffect } from 'react';

/** Marks the page as hydrated, and submits a form that `early.ts` held. */
export function useHydrated(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset.alive = '';
    if (!('submitted' in dataset)) return;
    delete dataset.submitted;
    // Wait until the form has restored its draft.
    setTimeout(() => document.forms[0]?.requestSubmit());
  }, []);
}
