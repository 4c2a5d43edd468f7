import type { ReactNode, SelectHTMLAttributes } from 'react';
import { useGradually } from '../../browser/platform/gradually.ts';
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
