import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './checkbox.module.css';
import { FieldError } from './field-error.tsx';

/** Yes or no; a click anywhere on the line counts. */
export function Checkbox({ field, label }: { field: FormField<boolean>; label: MessageId }) {
  const { id, name, error } = field;
  return (
    <div>
      <label className={css.line}>
        <input
          type="checkbox"
          id={id}
          name={name}
          className={css.box}
          aria-invalid={error ? true : undefined}
          aria-describedby={error && `${id}-error`}
        />
        <span>
          <Text id={label} />
        </span>
      </label>
      <FieldError field={field} />
    </div>
  );
}
