import { type KeyboardEvent, memo, useEffect, useState } from 'react';
import { Paragraph, Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { useKeptFocus } from '../../../../browser/navigation/history.ts';
import { Link, useGo, useQuery } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { useTypedParameter } from '../../../../browser/navigation/typed-parameter.ts';
import { useGradually } from '../../../../browser/platform/timers.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { LanguageCode } from '../../../../contract/languages.ts';
import { isRoleEnough } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { forProfile, profileTexts } from '../../../../ui/fields/profile-fields.tsx';
import { Sheet, SheetEmpty, SheetPart } from '../../../../ui/layouts/card.tsx';
import { maxPeople } from '../../jobs.contract.ts';
import { createPerson, findPeople, type PeopleState, peopleStates } from '../../people.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';
import { ConsoleFailed, ConsolePage, findField, takeWish } from '../layout/console-page.part.tsx';
import { FilterBar, Filters, ListEnd, usePages } from '../layout/list.part.tsx';
import { DetailsFields } from '../person/details.part.tsx';
import { SelectAll, type Selection, SelectionBar, SelectPerson, useSelection } from './bulk-acts.part.tsx';
import css from './people.module.css';
import { readRecent } from './recent.part.ts';

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
  const { list, all } = usePeople({ q, state, added });
  const { page } = list;
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
      <Sheet busy={list.isBusy}>
        <FilterBar
          find={{
            id: findField,
            name: 'q',
            'aria-label': t('console_people.find'),
            placeholder: t('console_people.find'),
            'aria-describedby': 'find-hint',
            value: typed,
            onChange: ({ target }) => type(target.value),
          }}
          hint={
            <p id="find-hint" className={css.hint}>
              <Text id="console_people.hint" />
            </p>
          }
        >
          <Filters
            names={stateNames}
            chosen={[state]}
            choose={(one) => change({ state: one })}
            clear={() => change({ state: undefined })}
          />
        </FilterBar>
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
        <ListEnd list={list} />
        {selection.people.length > 0 && <SelectionBar selection={selection} />}
      </Sheet>
    </div>
  );
}

/** The people who match; without a text, the newest. Keeps the former ones until the next arrive. */
function usePeople({ q, state, added }: { q: string; state: PeopleState | undefined; added: number }) {
  const filters = { ...(q && { q }), ...(state && { state }) };
  const list = usePages(
    (signal, cursor) => sendRequest(findPeople, { query: { ...filters, ...(cursor && { cursor }) }, signal }),
    [q, state, added],
  );
  const all = useRequest(async (signal, done: (people: readonly Person[]) => void) => {
    let read = list.page;
    while (read?.next && read.items.length < maxPeople) {
      const query = { ...filters, cursor: read.next, limit: '100' };
      const more: Page = await sendRequest(findPeople, { query, signal });
      read = { ...more, items: [...read.items, ...more.items] };
      list.setPage(read);
    }
    done(read?.items ?? []);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search replaces the one before
  useEffect(() => all.cancel(), [q, state, added]);
  useKeptFocus();
  return { list, all };
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
      {select && <SelectPerson person={person} selected={selected} select={select} />}
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

interface AddPersonProps {
  /** Called once the account is created. */
  done: () => void;
  close: () => void;
}

/** The dialog that creates an account for someone. */
function AddPerson({ done, close }: AddPersonProps) {
  const { language } = usePage();
  return (
    <ActDialog
      label="console_people.add"
      does="console_people.add_does"
      required={['email', 'name']}
      fields={(field) => (
        <>
          <TextField field={field('email')} label="label.email" autoComplete="off" dir="ltr" spellCheck={false} />
          <DetailsFields field={field} first={{ name: '', ...profileTexts({}), locale: language }} />
          <TextField field={field('phone')} label="label.phone" optional autoComplete="off" dir="ltr" />
          <Checkbox field={{ ...field('invite'), value: true }} label="console_people.invite" />
        </>
      )}
      send={async (typed, sending) => {
        const [email, name, invite] = [typed('email'), typed('name'), typed('invite') !== ''];
        const [phone, reason] = [typed('phone') || undefined, typed('reason') || undefined];
        const locale = typed('locale') as LanguageCode;
        const body = { email, name, phone, ...forProfile(typed), locale, invite, reason };
        const { id } = await sendRequest(createPerson, { body, ...sending });
        done();
        return (
          <>
            {invite && <Paragraph id="console_act.link_sent" values={{ email }} />}
            <p>
              <Link to={`/console/people/${id}/`}>
                <bdi>{name}</bdi>
              </Link>
            </p>
          </>
        );
      }}
      close={close}
    />
  );
}
