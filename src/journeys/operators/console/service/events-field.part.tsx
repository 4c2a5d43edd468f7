import { useId } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { type EventType, eventTypes } from '../../../../contract/webhook-events.ts';
import { FieldError } from '../../../../ui/fields/field.tsx';
import type { FieldOf } from '../layout/act-dialog.part.tsx';
import css from './events-field.module.css';

/** The types that are checked in a form with an `EventsField`. */
export const eventsIn = (typed: (name: string) => string): EventType[] =>
  eventTypes.filter((type) => typed(type) !== '');

interface EventsFieldProps {
  field: ReturnType<FieldOf>;
  /** Types that are checked at first. */
  checked?: readonly string[] | undefined;
}

/** A checkbox for each type of event. */
export function EventsField({ field: { id, error }, checked = [] }: EventsFieldProps) {
  const legend = useId();
  return (
    <fieldset className={css.events} aria-labelledby={legend} aria-describedby={error && `${id}-error`}>
      <p id={legend} className={css.legend}>
        <Text id="console_webhooks.events" />
      </p>
      {eventTypes.map((type) => (
        <label key={type} className={css.event}>
          <input type="checkbox" name={type} defaultChecked={checked.includes(type)} />
          <bdi dir="ltr" translate="no">
            {type}
          </bdi>
        </label>
      ))}
      <FieldError field={{ id, error }} />
    </fieldset>
  );
}
