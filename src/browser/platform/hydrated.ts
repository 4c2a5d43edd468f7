import { useEffect } from 'react';

/** Marks the page as hydrated, submits a form that `early.ts` held, and presses the button that it marked. */
export function useHydrated(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset.alive = '';
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    delete button?.dataset.pressed;
    // Wait until the page has read its link.
    setTimeout(() => button?.click());
    if (!('submitted' in dataset)) return;
    delete dataset.submitted;
    // Wait until the form has restored its draft.
    setTimeout(() => document.forms[0]?.requestSubmit());
  }, []);
}
