import type { ReactNode } from 'react';
import { Field, type FieldFrame, inputProps } from './field.tsx';
import css from './select-field.module.css';

/** One of a few; the children are `<option>`s. */
export const SelectField = ({ field, label, hint, children }: FieldFrame & { children: ReactNode }) => (
  <Field field={field} label={label} hint={hint}>
    <select {...inputProps(field, hint)} className={css.select} defaultValue={String(field.value)}>
      {children}
    </select>
  </Field>
);
