import { useLayoutEffect, useState } from 'react';
import { splitPath } from '../../contract/languages.ts';
import { focusHeading } from './focus-heading.ts';
import { enterStep, shownStep } from './scroll.ts';

/** Focuses the heading if the focused element disappeared with the previous step. */
const settle = () => setTimeout(() => document.activeElement === document.body && focusHeading());

/**
 * The current step of a page with several steps, stored in the tab's history: Back leaves a step, and a reload
 * or another language keeps it. Undefined is the first step.
 */
export function useStep<Step>(): readonly [step: Step | undefined, enter: (step?: Step, inPlace?: boolean) => void] {
  const [step, setStep] = useState<Step>();
  useLayoutEffect(() => {
    const here = () => splitPath(location.pathname).page;
    const own = here();
    // After Back to another page, this one keeps its step until the other arrives.
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
