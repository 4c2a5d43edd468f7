import type { ComponentProps, InputHTMLAttributes, ReactNode } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Exclamation } from '../icons.tsx';
import css from './field.module.css';

export interface FieldFrame {
  field: FormField<string>;
  label: MessageId;
  /** The field may stay empty; its label says so. */
  optional?: boolean | undefined;
  /** Shown at the end of the label's line: an alternative for users who do not know what to type. */
  aside?: ReactNode;
  /** Advice under the field, for before typing. */
  hint?: ReactNode;
  /** Why the server refused the value; replaces our own error. Screen readers announce it. */
  refusal?: ReactNode;
  /** A new message under the field. Screen readers announce it. */
  news?: ReactNode;
}

interface NamedInput {
  id: string;
  name: string;
  /** Any truthy value marks the input as invalid. */
  error: unknown;
}

/** The attributes of a field's input: its names, and references to its hint and error for screen readers. */
export const inputProps = ({ id, name, error }: NamedInput, hint?: ReactNode) => ({
  id,
  name,
  'aria-invalid': error ? (true as const) : undefined,
  'aria-describedby': [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined,
});

const OptionalLabel = ({ label }: { label: MessageId }) => (
  <Text id="frame.optional" values={{ label: useText()(label) }} tags={{ note: <span className={css.optional} /> }} />
);

/** A label, the box with the input, and below it the error and the hint. */
export function Field({ children, ...frame }: FieldFrame & { children: ReactNode }) {
  const { field, label, optional, aside, hint, refusal, news } = frame;
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={field.id}>
        {optional ? <OptionalLabel label={label} /> : <Text id={label} />}
      </label>
      <div className={css.box}>{children}</div>
      {aside && <div className={css.aside}>{aside}</div>}
      {refusal ? <Refusal id={`${field.id}-error`}>{refusal}</Refusal> : <FieldError field={field} />}
      <div role="status" className={css.news}>
        {news}
      </div>
      {hint && (
        <div id={`${field.id}-hint`} className={css.hint}>
          {hint}
        </div>
      )}
    </div>
  );
}

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

export const Input = ({ className = '', ...input }: ComponentProps<'input'>) => (
  <input {...input} className={`${css.input} ${className}`} />
);

type Attributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'autoComplete' | 'inputMode' | 'dir' | 'spellCheck' | 'defaultValue'
>;

export function TextField({ field, label, optional, hint, ...input }: FieldFrame & Attributes) {
  return (
    <Field field={field} label={label} optional={optional} hint={hint}>
      <Input type="text" {...inputProps(field, hint)} {...input} />
    </Field>
  );
}
