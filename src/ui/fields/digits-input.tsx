import type { ComponentProps } from 'react';
import css from './digits-input.module.css';
import { Input } from './input.tsx';

/** For digits that are read in one place and typed in another: large, and each as wide as the next. */
export const DigitsInput = (input: Omit<ComponentProps<'input'>, 'className'>) => (
  <Input {...input} className={css.digits} />
);
