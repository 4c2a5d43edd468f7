import type { FormField } from '../browser/form.ts';
import { Text } from '../browser/text.tsx';
import css from './field.module.css';
import { Exclamation } from './icons.tsx';

/** What is wrong with a field, in the words that the summary has, too. */
export function FieldError({ field: { id, error } }: { field: FormField }) {
  if (!error) return null;
  return (
    <p id={`${id}-error`} className={css.failure}>
      <Exclamation />
      <span>
        <Text id={`invalid.${error.code}`} {...(error.params && { values: error.params })} />
      </span>
    </p>
  );
}
