import { useLayoutEffect, useState } from 'react';
import { splitPath } from '../../contract/languages.ts';
import { usePage } from './page.tsx';
import { enterStep, shownStep } from './scroll.ts';

/**
 * How far somebody is on a page that has several steps, kept in the tab's history: Back leaves a step, and a reload
 * or another language keeps it. Undefined: the page's beginning.
 */
export function useStep<Step>(): readonly [step: Step | undefined, enter: (step?: Step, inPlace?: boolean) => void] {
  const { path } = usePage();
  const [step, setStep] = useState<Step>();
  useLayoutEffect(() => {
    // Until another page arrives this one stays as it is.
    const look = () => splitPath(location.pathname).page === path && setStep(shownStep() as Step);
    look();
    addEventListener('popstate', look);
    return () => removeEventListener('popstate', look);
  }, [path]);
  const enter = (next?: Step, inPlace = false) => {
    enterStep(next, inPlace);
    setStep(next);
  };
  return [step, enter];
}
