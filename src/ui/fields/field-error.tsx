import type { ReactNode } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { Exclamation } from '../icons.tsx';
import css from './field-error.module.css';

/** The error of a field, with the same text as in the summary. */
export function FieldError({ field: { id, error } }: { field: Pick<FormField, 'id' | 'error'> }) {
  if (!error) return null;
  return (
    <Wrong id={`${id}-error`}>
      <Text id={`invalid.${error.code}`} {...(error.params && { values: error.params })} />
    </Wrong>
  );
}

/** Why the server refused a field's value, for a form without a summary. */
export const Refusal = ({ id, children }: { id: string; children: ReactNode }) => (
  <div role="alert">
    <Wrong id={id}>{children}</Wrong>
  </div>
);

const Wrong = ({ id, children }: { id: string; children: ReactNode }) => (
  <p id={id} className={css.failure}>
    <Exclamation />
    <span>{children}</span>
  </p>
);
