import type { ReactNode, SelectHTMLAttributes } from 'react';
import { Chevron } from '../icons.tsx';
import { Field, type FieldFrame, inputProps } from './field.tsx';
import css from './select-field.module.css';

/** The select alone, outside a form's field. */
export const Select = (props: Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className'>) => (
  <span className={css.frame}>
    <select {...props} className={css.select} />
    <Chevron />
  </span>
);

/** A field with a select; the children are `<option>`s. */
export const SelectField = ({ field, label, hint, children }: FieldFrame & { children: ReactNode }) => (
  <Field field={field} label={label} hint={hint}>
    <Select {...inputProps(field, hint)} defaultValue={String(field.value)}>
      {children}
    </Select>
  </Field>
);
