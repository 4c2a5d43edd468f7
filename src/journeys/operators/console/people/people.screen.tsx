import { type KeyboardEvent, memo, useEffect, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { useKeptFocus } from '../../../../browser/navigation/history.ts';
import { Link, useGo, useQuery } from '../../../../browser/navigation/navigation.tsx';
import { useTypedParameter } from '../../../../browser/navigation/typed-parameter.ts';
import { useGradually } from '../../../../browser/platform/timers.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { textLimit } from '../../../../contract/fields/field-sizes.ts';
import { isRoleEnough } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { Input } from '../../../../ui/fields/field.tsx';
import { Sheet, SheetEmpty, SheetPart } from '../../../../ui/layouts/card.tsx';
import { maxPeople } from '../../jobs.contract.ts';
import { findPeople, type PeopleState, peopleStates } from '../../people.contract.ts';
import { Chip, Chips } from '../layout/chips.part.tsx';
import { ConsoleFailed, ListEnd } from '../layout/console-failed.part.tsx';
import { ConsolePage, findField, takeWish } from '../layout/console-page.part.tsx';
import { AddPerson } from './add-person.part.tsx';
import css from './people.module.css';
import { readRecent } from './recent.part.ts';
import { Select, SelectAll, type Selection, SelectionBar, useSelection } from './selection.part.tsx';

type Page = ResponseBody<typeof findPeople>;
type Person = Page['items'][number];

export const stateNames = {
  new: 'console_people.new',
  locked: 'console_people.locked',
  leaving: 'console_people.leaving',
  returned: 'console_people.returned',
  operators: 'console_operators.page',
  no_second_step: 'console_people.no_second_step',
} as const satisfies Record<PeopleState, MessageId>;

/** Finds people by anything that they may say about themselves. */
export default function People() {
  const [added, count] = useState(0);
  const [isAdding, setAdding] = useState(false);
  return (
    <ConsolePage
      title={<Text id="console_people.page" />}
      actions={({ role }) =>
        isRoleEnough(role, 'support') && (
          <Button label="console_people.add" narrow quiet onClick={() => setAdding(true)} />
        )
      }
    >
      {({ role }) => (
        <>
          <Finder added={added} selects={isRoleEnough(role, 'support')} />
          {isAdding && <AddPerson done={() => count(added + 1)} close={() => setAdding(false)} />}
        </>
      )}
    </ConsolePage>
  );
}

const noPage: Page = { items: [], next: null };

interface FinderProps {
  /** How many people this page has added. */
  added: number;
  /** Whether the operator may act for several people. */
  selects: boolean;
}

function Finder({ added, selects }: FinderProps) {
  const t = useText();
  const { query, change } = useQuery();
  const [typed, type] = useTypedParameter('q');
  const go = useGo();
  const q = (query.get('q') ?? '').trim();
  const state = peopleStates.find((one) => one === query.get('state'));
  const { page, request, all } = usePeople({ q, state, added });
  const items = page?.items ?? [];
  const selection = useSelection(page ?? noPage);
  const drawn = useGradually({ count: items.length, perFrame: 100 });
  useEffect(() => {
    // After the navigation has focused the heading.
    if (takeWish()) setTimeout(() => document.getElementById(findField)?.focus());
  }, []);

  /** Arrows move between the field and the people, Enter opens the first one, and Esc clears the field. */
  function press(event: KeyboardEvent<HTMLElement>): void {
    if ((event.target as Element).closest('dialog')) return;
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-person]')];
    const field = document.getElementById(findField);
    const at = links.indexOf(document.activeElement as HTMLElement);
    const isTyping = document.activeElement === field;
    if (event.key === 'Escape') {
      type('');
      field?.focus();
    } else if (event.key === 'ArrowDown' && (isTyping || at >= 0)) (links[at + 1] ?? links[at])?.focus();
    else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] ?? field)?.focus();
    else if (event.key === 'Enter' && isTyping && typed.trim() === q && items[0]) go(`/console/people/${items[0].id}/`);
    else return;
    event.preventDefault();
  }

  return (
    <div onKeyDown={press}>
      <Sheet busy={request.state === 'pending'}>
        <div className={css.bar}>
          <Input
            id={findField}
            name="q"
            type="search"
            aria-label={t('console_people.find')}
            placeholder={t('console_people.find')}
            aria-describedby="find-hint"
            autoComplete="off"
            spellCheck={false}
            maxLength={textLimit - 1}
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
          <p id="find-hint" className={css.hint}>
            <Text id="console_people.hint" />
          </p>
          <Chips label="records.filters">
            <Chip pressed={!state} press={() => change({ state: undefined })} label="dashboard.filter_all" />
            {peopleStates.map((one) => (
              <Chip key={one} pressed={state === one} press={() => change({ state: one })} label={stateNames[one]} />
            ))}
          </Chips>
        </div>
        {q === '' && !state && <Recent />}
        {page && items.length === 0 && <SheetEmpty id="console_people.none" role="status" />}
        {selects && items.length > 0 && (
          <SelectAll
            selection={selection}
            busy={all.state === 'pending'}
            readAll={() => void all.start(selection.setAll)}
            clear={() => {
              all.cancel();
              selection.clear();
            }}
          />
        )}
        <ConsoleFailed failure={all.error} />
        {items.length > 0 && (
          <ul
            className={css.people}
            aria-label={t(q === '' && !state ? 'console_people.newest' : 'console_people.page')}
          >
            {items.slice(0, drawn).map((person) => (
              <Row
                key={person.id}
                person={person}
                selected={selection.has(person.id)}
                select={selects ? selection.set : undefined}
              />
            ))}
          </ul>
        )}
        <ListEnd request={request} next={page?.next} />
        {selection.people.length > 0 && <SelectionBar selection={selection} />}
      </Sheet>
    </div>
  );
}

/** The people who match; without a text, the newest. Keeps the former ones until the next arrive. */
function usePeople({ q, state, added }: { q: string; state: PeopleState | undefined; added: number }) {
  const [page, setPage] = useState<Page>();
  const request = useRequest(async (signal, cursor?: string) => {
    const query = { ...(q && { q }), ...(state && { state }), ...(cursor && { cursor }) };
    const found = await sendRequest(findPeople, { query, signal });
    setPage((before) => (cursor && before ? { ...found, items: [...before.items, ...found.items] } : found));
  });
  const all = useRequest(async (signal, done: (people: readonly Person[]) => void) => {
    let read = page;
    while (read?.next && read.items.length < maxPeople) {
      const query = { ...(q && { q }), ...(state && { state }), cursor: read.next, limit: '100' };
      const more: Page = await sendRequest(findPeople, { query, signal });
      read = { ...more, items: [...read.items, ...more.items] };
      setPage(read);
    }
    done(read?.items ?? []);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search replaces the one before
  useEffect(() => {
    all.cancel();
    request.restart();
  }, [q, state, added]);
  useKeptFocus();
  return { page, request, all };
}

interface RowProps {
  person: Person;
  selected: boolean;
  /** Undefined for operators who may not act. */
  select: Selection['set'] | undefined;
}

const Row = memo(function Row({ person, selected, select }: RowProps) {
  const { day } = useTimes();
  const { id, name, email, phone, created_at, locked_at, delete_at } = person;
  return (
    <li className={css.row}>
      {select && <Select person={person} selected={selected} select={select} />}
      <Link to={`/console/people/${id}/`} className={css.person} data-person="">
        <span className={css.name}>
          <bdi className={css.line}>{name || email}</bdi>
          <bdi className={css.detail} dir="ltr">
            {email}
          </bdi>
        </span>
        <span className={css.phone}>
          <bdi dir="ltr">{phone}</bdi>
        </span>
        <span className={css.state}>
          {locked_at && <Text id="console_people.locked" />}
          {delete_at && <Text id="console_people.leaving" />}
        </span>
        <span className={css.since}>{day(created_at)}</span>
      </Link>
    </li>
  );
});

/** The people whom this tab has shown last. */
function Recent() {
  const [people] = useState(readRecent);
  if (people.length === 0) return null;
  return (
    <SheetPart>
      <h2 className={css.title}>
        <Text id="console_people.recent" />
      </h2>
      <ul className={css.recent}>
        {people.map(({ id, name }) => (
          <li key={id}>
            <Link to={`/console/people/${id}/`} data-person="">
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </SheetPart>
  );
}
