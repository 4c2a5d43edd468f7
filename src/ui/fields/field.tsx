import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  useEffect,
  useRef,
} from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { useGradually } from '../../browser/platform/timers.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Chevron, Exclamation } from '../icons.tsx';
import css from './field.module.css';

interface FieldFrame {
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

/** A one-line input. */
export const Input = ({ className = '', ...input }: ComponentProps<'input'>) => (
  <input {...input} className={`${css.input} ${className}`} />
);

type Attributes = Pick<InputHTMLAttributes<HTMLInputElement>, 'autoComplete' | 'inputMode' | 'dir' | 'spellCheck'>;

/** One line of text. */
export function TextField({ field, label, optional, hint, ...input }: FieldFrame & Attributes) {
  return (
    <Field field={field} label={label} optional={optional} hint={hint}>
      <Input type="text" {...inputProps(field, hint)} {...input} />
    </Field>
  );
}

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

interface FoldProps {
  label: MessageId;
  /** The fields inside. The fold opens once one of them has a value or an error. */
  fields?: readonly FormField<string>[];
  children: ReactNode;
}

/** Hides fields that few users need behind a labeled line. Works without scripts, and stays closed once closed. */
export function Fold({ label, fields = [], children }: FoldProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  const filled = fields.some(({ value }) => value !== '');
  const wrong = fields.some(({ error }) => error);
  useEffect(() => {
    if ((filled || wrong) && fold.current) fold.current.open = true;
  }, [filled, wrong]);
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
