import type { StepUpWay } from '../../contract/sign-in/sign-in-methods.ts';
import { Button } from '../button.tsx';
import css from './step-up-methods.module.css';

/** The props of each method’s form. */
export interface StepUpMethodProps {
  /** Called after the proof. */
  satisfy: () => void;
  cancel: () => void;
  /** Further methods that the account accepts, and how to change to one. */
  others: readonly StepUpWay[];
  choose: (way: StepUpWay) => void;
}

const labels = {
  password: 'step_up.password',
  authenticator: 'step_up.code',
  passkey: 'second_step.passkey',
} as const;

/** The other methods, and Cancel. */
export const StepUpMethods = ({ others, choose, cancel }: Omit<StepUpMethodProps, 'satisfy'>) => (
  <div className={css.methods}>
    {others.map((way) => (
      <Button key={way} label={labels[way]} plain onClick={() => choose(way)} />
    ))}
    <Button label="form.cancel" plain onClick={cancel} />
  </div>
);
