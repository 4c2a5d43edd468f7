import type { FormField } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Field, inputProps } from '../../../ui/fields/field.tsx';
import { Input } from '../../../ui/fields/input.tsx';
import css from './quiet-hours.module.css';

interface QuietHoursProps {
  readonly from: FormField<string>;
  readonly until: FormField<string>;
  /** IANA name. */
  readonly zone: string;
}

/** Two fields for the hours in which emails wait. */
export const QuietHours = ({ from, until, zone }: QuietHoursProps) => (
  <div className={css.hours}>
    <div className={css.times}>
      <TimeField field={from} label="alarms.quiet_from" />
      <TimeField field={until} label="alarms.quiet_until" />
    </div>
    <p className={css.hint}>
      <Text id="alarms.quiet_hint" values={{ zone }} dir="auto" />
    </p>
  </div>
);

const TimeField = ({ field, label }: { field: FormField<string>; label: MessageId }) => (
  <Field field={field} label={label}>
    <Input type="time" {...inputProps(field)} />
  </Field>
);
