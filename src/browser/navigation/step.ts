import { useLayoutEffect, useState } from 'react';
import { splitPath } from '../../contract/languages.ts';
import { focusHeading } from './focus-heading.ts';
import { enterStep, shownStep } from './scroll.ts';

/** What had the focus may be gone with the step before. */
const settle = () => setTimeout(() => document.activeElement === document.body && focusHeading());

/**
 * How far somebody is on a page that has several steps, kept in the tab's history: Back leaves a step, and a reload
 * or another language keeps it. Undefined: the page's beginning.
 */
export function useStep<Step>(): readonly [step: Step | undefined, enter: (step?: Step, inPlace?: boolean) => void] {
  const [step, setStep] = useState<Step>();
  useLayoutEffect(() => {
    const here = () => splitPath(location.pathname).page;
    const own = here();
    // Until another page arrives this one stays as it is.
    const look = () => here() === own && setStep(shownStep() as Step);
    const lookAgain = () => {
      look();
      settle();
    };
    look();
    addEventListener('popstate', lookAgain);
    return () => removeEventListener('popstate', lookAgain);
  }, []);
  const enter = (next?: Step, inPlace = false) => {
    enterStep(next, inPlace);
    setStep(next);
    settle();
  };
  return [step, enter];
}
