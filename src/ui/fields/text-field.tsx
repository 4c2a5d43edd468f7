import type { InputHTMLAttributes } from 'react';
import { Field, type FieldFrame, inputProps } from './field.tsx';

type Input = Pick<InputHTMLAttributes<HTMLInputElement>, 'autoComplete' | 'inputMode' | 'dir' | 'spellCheck'>;

/** One line of text. */
export function TextField({ field, label, optional, hint, ...input }: FieldFrame & Input) {
  return (
    <Field field={field} label={label} optional={optional} hint={hint}>
      <input type="text" {...inputProps(field, hint)} {...input} />
    </Field>
  );
}
