import { useEffect, useState } from 'react';

/** Marks the page as hydrated, submits a form that `early.ts` held, and presses the button that it marked. */
export function useHydrated(): void {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    document.documentElement.dataset.alive = '';
    setReady(true);
  }, []);
  // One commit later, which contains what the first effects read: the page's link and a form's draft.
  useEffect(() => {
    if (!isReady) return;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    delete button?.dataset.pressed;
    button?.click();
    const { dataset } = document.documentElement;
    if (!('submitted' in dataset)) return;
    delete dataset.submitted;
    document.forms[0]?.requestSubmit();
  }, [isReady]);
}
