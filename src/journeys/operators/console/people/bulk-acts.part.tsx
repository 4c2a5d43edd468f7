import { useId, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { Link, useGo } from '../../../../browser/navigation/navigation.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { type BulkAct, bulkActs } from '../../../../contract/operators.ts';
import { Button } from '../../../../ui/button.tsx';
import { Select } from '../../../../ui/fields/choice-fields.tsx';
import { Field, inputProps } from '../../../../ui/fields/field.tsx';
import { TextButton } from '../../../../ui/text-button.tsx';
import { beginJob, maxPeople } from '../../jobs.contract.ts';
import type { findPeople } from '../../people.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';
import { actOf } from '../person/acts.part.ts';
import css from './bulk-acts.module.css';

/** Someone for whom an act is. */
export interface Selected {
  readonly id: string;
  /** Of the account, or its address. */
  readonly name: string;
  readonly locked?: boolean;
  readonly leaving?: boolean;
}

type Person = ResponseBody<typeof findPeople>['items'][number];

/** The people who are selected, also those of earlier searches. */
export interface Selection {
  readonly people: readonly Selected[];
  has(id: string): boolean;
  /** Whether all who were found are selected, or no more may be. */
  readonly isWhole: boolean;
  set(person: Person, selected: boolean): void;
  /** As many of these as may be selected. */
  setAll(people: readonly Person[]): void;
  clear(): void;
}

const selectedOf = ({ id, name, email, locked_at, delete_at }: Person): Selected => ({
  ...{ id, name: name || email, locked: locked_at !== null, leaving: delete_at !== null },
});

interface Listed {
  readonly items: readonly Person[];
  readonly next: string | null;
}

type Chosen = ReadonlyMap<string, Selected>;

function withPeople(before: Chosen, people: readonly Person[]): Chosen {
  const added = people.filter(({ id }) => !before.has(id)).map((one) => [one.id, selectedOf(one)] as const);
  return new Map([...before, ...added].slice(0, maxPeople));
}

const without = (before: Chosen, { id }: Person): Chosen => new Map([...before].filter(([other]) => other !== id));

export function useSelection({ items, next }: Listed): Selection {
  const [chosen, choose] = useState<Chosen>(new Map());
  // The same functions each time: a thousand rows are not rendered again for one that changes.
  const [acts] = useState(() => ({
    set: (person: Person, selected: boolean) =>
      choose((before) => (selected ? withPeople(before, [person]) : without(before, person))),
    setAll: (people: readonly Person[]) => choose((before) => withPeople(before, people)),
    clear: () => choose(new Map()),
  }));
  return {
    people: [...chosen.values()],
    has: (id) => chosen.has(id),
    isWhole: chosen.size === maxPeople || (next === null && items.every(({ id }) => chosen.has(id))),
    ...acts,
  };
}

interface SelectAllProps {
  selection: Selection;
  busy: boolean;
  /** Reads the rest of the list, and selects it. */
  readAll: () => void;
  clear: () => void;
}

/** Selects all people who were found, also those whom the list does not show yet; and leads to former acts for several. */
export const SelectAll = ({ selection, busy, readAll, clear }: SelectAllProps) => (
  <div className={css.all}>
    <label className={css.allBox} aria-busy={busy || undefined}>
      <input
        type="checkbox"
        name="all"
        checked={busy || selection.isWhole}
        onChange={({ target }) => (target.checked ? readAll() : clear())}
      />
      <Text id="console_bulk.all" />
    </label>
    <Link to="/console/service/?list=jobs" text="console_service.jobs" />
  </div>
);

interface SelectProps {
  person: Person;
  selected: boolean;
  select: Selection['set'];
}

/** Selects one person. */
export const SelectPerson = ({ person, selected, select }: SelectProps) => (
  <label className={css.one}>
    <input
      type="checkbox"
      aria-label={person.name || person.email}
      checked={selected}
      onChange={({ target }) => select(person, target.checked)}
    />
  </label>
);

/** How many people are selected, and what can be done for them. */
export function SelectionBar({ selection: { people, clear } }: { selection: Selection }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={css.bar} aria-label={t('console_bulk.act')}>
      <p role="status">
        <Text id="console_bulk.selected" values={{ count: people.length }} />
        {people.length === maxPeople && (
          <span className={css.most}>
            {' '}
            <Text id="console_bulk.most" values={{ count: maxPeople }} />
          </span>
        )}
      </p>
      <TextButton onClick={clear} label="console_bulk.clear" />
      <Button label="console_bulk.act" narrow onClick={() => setOpen(true)} />
      {isOpen && <BulkActDialog people={people} close={() => setOpen(false)} />}
    </section>
  );
}

interface BulkActProps {
  people: readonly Selected[];
  /** What was done for them before; otherwise the dialog asks. */
  given?: BulkAct;
  close: () => void;
}

/** The dialog of an act for several people: for whom, and which. Leads to its progress. */
export function BulkActDialog({ people, given, close }: BulkActProps) {
  const t = useText();
  const go = useGo();
  const [chosen, choose] = useState(given);
  const list = useId();
  const act = chosen && actOf(chosen);
  return (
    <ActDialog
      label={act?.label ?? 'console_bulk.act'}
      does={act?.does ?? 'console_bulk.act_does'}
      danger={act?.danger}
      required={['act']}
      fields={(field) => (
        <>
          {given ? (
            <input type="hidden" name="act" value={given} />
          ) : (
            <Field field={field('act')} label="console_bulk.what">
              <Select
                {...inputProps(field('act'))}
                defaultValue=""
                onChange={({ target }) => choose((target.value || undefined) as BulkAct | undefined)}
              >
                <option value="" />
                {bulkActs.map((one) => (
                  <option key={one} value={one}>
                    {t(actOf(one).label)}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          <div>
            <p id={list}>
              <Text id="console_bulk.selected" values={{ count: people.length }} />
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
            <ul className={css.people} aria-labelledby={list} tabIndex={0}>
              {people.map(({ id, name, locked, leaving }) => (
                <li key={id}>
                  <bdi>{name}</bdi>
                  {locked && (
                    <span className={css.state}>
                      <Text id="console_people.locked" />
                    </span>
                  )}
                  {leaving && (
                    <span className={css.state}>
                      <Text id="console_people.leaving" />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </div>
        </>
      )}
      send={async (typed, sending) => {
        const ids = people.map(({ id }) => id);
        const body = { ids, act: typed('act') as BulkAct, reason: typed('reason') || undefined };
        const { id } = await sendRequest(beginJob, { body, ...sending });
        close();
        go(`/console/jobs/${id}/`);
        return undefined;
      }}
      close={close}
    />
  );
}
