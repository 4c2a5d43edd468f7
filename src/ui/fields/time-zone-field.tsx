import { useId, useState } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Field, Input, inputProps } from './field.tsx';

/** The name of a time zone, of which typing a part finds the rest. */
export function TimeZoneField({ field }: { field: FormField<string> }) {
  const list = useId();
  const [names, offer] = useState<readonly string[]>([]);
  return (
    <Field field={field} label="account.time_zone">
      <Input
        type="text"
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        list={list}
        // Only then, since there are some 400 of them.
        onFocus={() => offer(Intl.supportedValuesOf('timeZone'))}
        {...inputProps(field)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </Field>
  );
}
