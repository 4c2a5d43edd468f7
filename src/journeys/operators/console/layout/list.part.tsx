import { type ComponentProps, Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { byDay, useTimes } from '../../../../browser/language/times.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { textLimit } from '../../../../contract/fields/field-sizes.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { Overdue } from '../../../../ui/feedback/feedback.tsx';
import { SearchField } from '../../../../ui/fields/search-field.tsx';
import { SheetFoot, SheetPart } from '../../../../ui/layouts/card.tsx';
import { DayTitle } from '../../../../ui/layouts/page-head.tsx';
import { ConsoleFailed } from './console-page.part.tsx';
import css from './list.module.css';

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

/** A list that is read page by page: from its beginning when it appears and once one of `by` changes, then on request. */
export function usePages<P extends Page>(
  read: (signal: AbortSignal, cursor: string | undefined) => Promise<P>,
  by: readonly unknown[],
) {
  const [page, setPage] = useState<P>();
  const request = useRequest(async (signal, cursor?: string) => {
    const next = await read(signal, cursor);
    setPage((before) => (cursor && before ? { ...next, items: [...before.items, ...next.items] } : next));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what replaces the items
  useEffect(() => void request.restart(), by);
  return { page, setPage, request, isBusy: request.state === 'pending' };
}

interface ListEndProps {
  list: Pick<ReturnType<typeof usePages>, 'page' | 'request' | 'isBusy'>;
  /** Of the button; default: for lists that begin with the newest. */
  label?: MessageId;
}

/** The end of a list: why its next page failed to load, and the button for that page. */
export const ListEnd = ({ list: { page, request, isBusy }, label = 'account.older' }: ListEndProps) => (
  <>
    {request.error && (
      <SheetPart>
        <ConsoleFailed failure={request.error} />
        <Button label="form.retry" quiet narrow onClick={() => request.restart()} />
      </SheetPart>
    )}
    {page?.next && !request.error && (
      <SheetFoot>
        <Button
          label={label}
          quiet
          narrow
          busy={isBusy ? 'form.wait' : undefined}
          onClick={() => void request.start(page.next ?? undefined)}
        />
      </SheetFoot>
    )}
    <Overdue waiting={isBusy} retry={() => void request.restart()} />
  </>
);

interface FiltersProps<Name extends string> {
  label?: MessageId;
  /** The filters with their texts, in their order. */
  names: Readonly<Record<Name, MessageId>>;
  chosen: readonly (Name | undefined)[];
  choose: (name: Name) => void;
  /** Removes all of them; absent if one always applies. */
  clear?: () => void;
}

/** Filters of a list beside each other, as far as they fit. */
export function Filters<Name extends string>(props: FiltersProps<Name>) {
  const { label = 'records.filters', names, chosen, choose, clear } = props;
  const strip = useRef<HTMLFieldSetElement>(null);
  // A narrow screen shows the beginning of the strip only.
  useEffect(() => {
    strip.current?.querySelector('[aria-pressed=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  return (
    <fieldset ref={strip} className={css.filters} aria-label={useText()(label)}>
      {clear && (
        <Filter pressed={chosen.every((name) => name === undefined)} press={clear} label="dashboard.filter_all" />
      )}
      {(Object.keys(names) as Name[]).map((name) => (
        <Filter key={name} pressed={chosen.includes(name)} press={() => choose(name)} label={names[name]} />
      ))}
    </fieldset>
  );
}

interface FilterProps {
  pressed: boolean;
  press: () => void;
  label: MessageId;
}

const Filter = ({ pressed, press, label }: FilterProps) => (
  <button type="button" className={css.filter} aria-pressed={pressed} onClick={press}>
    <Text id={label} />
  </button>
);

interface FilterBarProps {
  /** The field that the list is searched with. */
  find?: ComponentProps<typeof SearchField>;
  hint?: ReactNode;
  /** Its `Filters`. */
  children: ReactNode;
}

/** What narrows a list, above it. */
export const FilterBar = ({ find, hint, children }: FilterBarProps) => (
  <div className={css.bar}>
    {find && (
      <div className={css.find}>
        <SearchField maxLength={textLimit - 1} {...find} />
      </div>
    )}
    {hint}
    {children}
  </div>
);

interface Entry {
  readonly id: string;
  readonly kind?: string;
  /** ISO 8601. */
  readonly at: string;
}

interface DaysProps<E extends Entry> {
  of: readonly E[];
  level: 'h2' | 'h3';
  children: (entry: E) => ReactNode;
}

/** What happened, by day, each with its time. */
export function Days<E extends Entry>({ of, level, children }: DaysProps<E>) {
  const { time } = useTimes();
  return byDay(of).map(({ date, entries }) => (
    <div key={date} className={css.day}>
      <DayTitle at={entries[0].at} level={level} />
      <ul className={css.entries}>
        {entries.map((entry) => (
          <li key={`${entry.kind} ${entry.id}`}>
            <time dateTime={entry.at}>{time(entry.at)}</time>
            {children(entry)}
          </li>
        ))}
      </ul>
    </div>
  ));
}

/** Facts about a line in small type, each isolated: a name, an address and a date beside each other keep their order. */
export const Details = ({ of }: { of: readonly ReactNode[] }) => (
  <span className={css.details}>
    {of.filter(Boolean).map((fact, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
      <Fragment key={at}>
        {at > 0 && ' · '}
        <bdi>{fact}</bdi>
      </Fragment>
    ))}
  </span>
);
