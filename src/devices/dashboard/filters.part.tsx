import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Chevron } from '../../ui/icons.tsx';
import css from './filters.module.css';

interface FilterOpenerProps {
  /** Ids of the filters, separated by spaces. */
  readonly controls: string;
  /** Number of active filters. */
  readonly active: number;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/** On narrow screens, a button that shows the filters of a list. Wide screens always show them. */
export const FilterOpener = ({ controls, active, isOpen, toggle }: FilterOpenerProps) => (
  <button type="button" className={css.opener} aria-expanded={isOpen} aria-controls={controls} onClick={toggle}>
    <Text id="records.filters" />
    {active > 0 && <span className={css.active}> {active}</span>}
    <Chevron />
  </button>
);

/** On paper, the active filters in words: labels with their values. */
export const PrintedFilters = ({ filters }: { filters: readonly (readonly [MessageId, string])[] }) => (
  <p className={css.printed}>
    {filters.map(([label, value]) => (
      <span key={label}>
        <Text id={label} /> <bdi className={css.value}>{value}</bdi>
      </span>
    ))}
  </p>
);
