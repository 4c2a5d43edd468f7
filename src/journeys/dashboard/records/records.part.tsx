import { type ReactNode, useId, useState } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { recordKinds } from '../../../contract/record-kinds.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Select } from '../../../ui/fields/select-field.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import type { Computer } from '../devices/device-state.part.tsx';
import { RecordList } from './record-list.part.tsx';
import { wordsOfKind } from './record-words.part.tsx';
import css from './records.module.css';

interface RecordsProps {
  readonly computers: readonly Computer[];
  readonly news: number;
}

/** The records of all devices, with filters by device and kind. */
export function Records({ computers, news }: RecordsProps) {
  const t = useText();
  const [computer, setComputer] = useState('');
  const [kind, setKind] = useState('');
  const own = new Set(computers.flatMap(({ newest }) => (newest && !wordsOfKind(newest.kind) ? [newest.kind] : [])));
  // The selected computer may have been removed.
  const wanted = computers.some(({ id }) => id === computer) ? computer : '';
  return (
    <Card>
      <h2 tabIndex={-1}>
        <Text id="dashboard.records" />
      </h2>
      <div className={css.filters}>
        <Filter label="dashboard.filter_device" value={wanted} choose={setComputer}>
          <option value="">{t('dashboard.filter_all')}</option>
          {computers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Filter>
        <Filter label="dashboard.filter_kind" value={kind} choose={setKind}>
          <option value="">{t('dashboard.filter_all')}</option>
          {[...recordKinds, ...own].map((each) => (
            <option key={each} value={each}>
              {kindInWords(each, t)}
            </option>
          ))}
        </Filter>
      </div>
      <RecordList
        key={`${wanted} ${kind}`}
        computers={computers}
        news={news}
        wanted={{ ...(wanted && { computer: wanted }), ...(kind && { kind }) }}
      />
    </Card>
  );
}

function kindInWords(kind: string, t: ReturnType<typeof useText>): string {
  const words = wordsOfKind(kind);
  return words ? t(words) : kind;
}

interface FilterProps {
  readonly label: MessageId;
  readonly value: string;
  readonly choose: (value: string) => void;
  /** `<option>`s. */
  readonly children: ReactNode;
}

function Filter({ label, value, choose, children }: FilterProps) {
  const id = useId();
  return (
    <div className={css.filter}>
      <label htmlFor={id}>
        <Text id={label} />
      </label>
      <Select id={id} value={value} onChange={({ target }) => choose(target.value)}>
        {children}
      </Select>
    </div>
  );
}
