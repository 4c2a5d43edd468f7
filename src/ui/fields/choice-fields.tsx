import { type ReactNode, type SelectHTMLAttributes, useEffect, useRef } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { useGradually } from '../../browser/platform/timers.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Chevron } from '../icons.tsx';
import css from './choice-fields.module.css';
import { Field, FieldError, type FieldFrame, inputProps } from './field.tsx';

/** The select alone, outside a form's field. */
export const Select = (props: Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className'>) => (
  <span className={css.frame}>
    <select {...props} className={css.select} />
    <Chevron />
  </span>
);

interface NamesProps {
  readonly of: readonly { readonly id: string; readonly name: string }[];
  /** Id of the selected one, which the first frame already needs. */
  readonly selected: string;
}

/** `<option>`s for things with names, which may be a thousand. */
export function NameOptions({ of, selected }: NamesProps) {
  const drawn = useGradually({ count: of.length, perFrame: 100 });
  return of
    .filter(({ id }, at) => at < drawn || id === selected)
    .map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ));
}

/** A field with a select; the children are `<option>`s. */
export const SelectField = ({ field, label, hint, children }: FieldFrame & { children: ReactNode }) => (
  <Field field={field} label={label} hint={hint}>
    <Select {...inputProps(field, hint)} defaultValue={String(field.value)}>
      {children}
    </Select>
  </Field>
);

interface CheckboxProps {
  field: FormField<boolean>;
  label: MessageId;
  /** Content below the line, such as a link to the terms. */
  children?: ReactNode;
}

/** A checkbox; its whole line is clickable. */
export function Checkbox({ field, label, children }: CheckboxProps) {
  const { id, name, value, error } = field;
  return (
    <div>
      <label className={css.line}>
        <input
          type="checkbox"
          id={id}
          name={name}
          defaultChecked={value}
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

interface FoldProps {
  label: MessageId;
  /** The fields inside. The fold opens once one of them has a value or an error. */
  fields?: readonly FormField<string>[];
  /** Opens the fold. */
  opens?: boolean;
  children: ReactNode;
}

/** Hides fields that few users need behind a labeled line. Works without scripts, and stays closed once closed. */
export function Fold({ label, fields = [], opens = false, children }: FoldProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  const filled = fields.some(({ value }) => value !== '');
  const wrong = fields.some(({ error }) => error);
  useEffect(() => {
    if ((filled || wrong || opens) && fold.current) fold.current.open = true;
  }, [filled, wrong, opens]);
  return (
    <details ref={fold} className={css.fold}>
      <summary className={css.foldLabel}>
        <Chevron />
        <Text id={label} />
      </summary>
      <div className={css.inside}>{children}</div>
    </details>
  );
}
