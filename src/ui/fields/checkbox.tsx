import type { ReactNode } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './checkbox.module.css';
import { FieldError } from './field-error.tsx';

interface CheckboxProps {
  field: FormField<boolean>;
  label: MessageId;
  /** Content below the line, such as a link to the terms. */
  children?: ReactNode;
}

/** A checkbox; its whole line is clickable. */
export function Checkbox({ field, label, children }: CheckboxProps) {
  const { id, name, error } = field;
  return (
    <div>
      <label className={css.line}>
        <input
          type="checkbox"
          id={id}
          name={name}
          aria-invalid={error ? true : undefined}
          aria-describedby={error && `${id}-error`}
        />
        <span>
          <Text id={label} />
        </span>
      </label>
      {children && <p className={css.more}>{children}</p>}
      <FieldError field={field} />
    </div>
  );
}
