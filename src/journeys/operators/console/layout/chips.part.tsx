import { type ReactNode, useEffect, useRef } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import type { MessageId } from '../../../../messages/ids.ts';
import css from './chips.module.css';

/** Filters of a list beside each other, as far as they fit. */
export function Chips({ label, children }: { label: MessageId; children: ReactNode }) {
  const strip = useRef<HTMLFieldSetElement>(null);
  // A narrow screen shows the beginning of the strip only.
  useEffect(() => {
    strip.current?.querySelector('[aria-pressed=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  return (
    <fieldset ref={strip} className={css.chips} aria-label={useText()(label)}>
      {children}
    </fieldset>
  );
}

interface ChipProps {
  pressed: boolean;
  press: () => void;
  label: MessageId;
}

/** One of several filters. */
export const Chip = ({ pressed, press, label }: ChipProps) => (
  <button type="button" className={css.chip} aria-pressed={pressed} onClick={press}>
    <Text id={label} />
  </button>
);
