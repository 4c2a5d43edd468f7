import { type ReactNode, useId, useRef, useState } from 'react';
import { useSortedByName } from '../../../browser/language/collation.ts';
import { Text, useText } from '../../../browser/language/text.tsx';
import type { QueryChanges } from '../../../browser/navigation/query.ts';
import { recordKinds } from '../../../contract/computers/record-kinds.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Input } from '../../../ui/fields/input.tsx';
import { NameOptions, Select } from '../../../ui/fields/select-field.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import { FilterOpener } from '../filter-opener.part.tsx';
import css from './record-filters.module.css';
import { filtersOf, noFilters, type Selection } from './record-query.part.ts';
import { wordsOfKind } from './record-words.part.tsx';

interface RecordFiltersProps {
  readonly computers: readonly Computer[];
  readonly selection: Selection;
  readonly choose: (changes: QueryChanges) => void;
  /** Shown at the end of the line. */
  readonly children: ReactNode;
}

/** Filters by device, kind and days; on a narrow screen behind a button with the number of active ones. */
export function RecordFilters({ computers, selection, choose, children }: RecordFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const active = filtersOf(selection).length;
  const filters = useRef<HTMLDivElement>(null);
  function clear(): void {
    // The button disappears with the last filter.
    filters.current?.querySelector('select')?.focus();
    choose(noFilters);
  }
  return (
    <search className={css.bar}>
      <FilterOpener controls={id} active={active} isOpen={isOpen} toggle={() => setOpen(!isOpen)} />
      <div id={id} ref={filters} className={isOpen ? css.filters : `${css.filters} ${css.folded}`}>
        <Fields {...{ computers, selection, choose }} />
        {active > 0 && (
          <div className={css.clear}>
            <TextButton onClick={clear}>
              <Text id="records.clear" />
            </TextButton>
          </div>
        )}
      </div>
      {children}
    </search>
  );
}

function Fields({ computers, selection, choose }: Omit<RecordFiltersProps, 'children'>) {
  const t = useText();
  const byName = useSortedByName(computers);
  const { device, kind, from, until } = selection;
  const own = computers.flatMap(({ newest }) => (newest && !wordsOfKind(newest.kind) ? [newest.kind] : []));
  const kinds = new Set([...recordKinds, ...own, ...(kind ? [kind] : [])]);
  const inWords = (each: string) => {
    const words = wordsOfKind(each);
    return words ? t(words) : each;
  };
  return (
    <>
      <Filter label="dashboard.filter_device">
        {(id) => (
          <Select id={id} value={device} onChange={({ target }) => choose({ device: target.value })}>
            <option value="">{t('dashboard.filter_all')}</option>
            <NameOptions of={byName} selected={device} />
          </Select>
        )}
      </Filter>
      <Filter label="dashboard.filter_kind">
        {(id) => (
          <Select id={id} value={kind} onChange={({ target }) => choose({ kind: target.value })}>
            <option value="">{t('dashboard.filter_all')}</option>
            {[...kinds].map((each) => (
              <option key={each} value={each}>
                {inWords(each)}
              </option>
            ))}
          </Select>
        )}
      </Filter>
      <Filter label="records.from">
        {(id) => (
          <Input
            id={id}
            type="date"
            max={until || undefined}
            value={from}
            onChange={({ target }) => choose({ from: target.value })}
          />
        )}
      </Filter>
      <Filter label="records.until">
        {(id) => (
          <Input
            id={id}
            type="date"
            min={from || undefined}
            value={until}
            onChange={({ target }) => choose({ until: target.value })}
          />
        )}
      </Filter>
    </>
  );
}

function Filter({ label, children }: { label: MessageId; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className={css.filter}>
      <label htmlFor={id} className={css.label}>
        <Text id={label} />
      </label>
      {children(id)}
    </div>
  );
}
