import type { InputHTMLAttributes } from 'react';
import { Field, type FieldFrame, inputProps } from './field.tsx';
import { Input } from './input.tsx';

type Attributes = Pick<InputHTMLAttributes<HTMLInputElement>, 'autoComplete' | 'inputMode' | 'dir' | 'spellCheck'>;

/** One line of text. */
export function TextField({ field, label, optional, hint, ...input }: FieldFrame & Attributes) {
  return (
    <Field field={field} label={label} optional={optional} hint={hint}>
      <Input type="text" {...inputProps(field, hint)} {...input} />
    </Field>
  );
}
