import { useId, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { useKeptFocus } from '../../../../browser/navigation/history.ts';
import { AddressLink, Link, useQuery } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { localeOf } from '../../../../contract/languages.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button } from '../../../../ui/button.tsx';
import { Select } from '../../../../ui/fields/choice-fields.tsx';
import { Sheet, SheetEmpty, SheetFoot, SheetPart } from '../../../../ui/layouts/card.tsx';
import { TextButton } from '../../../../ui/text-button.tsx';
import { ConsolePage } from '../layout/console-page.part.tsx';
import { ListEnd, usePages } from '../layout/list.part.tsx';
import { useNoticeName, wayWords } from '../words/sentence.part.tsx';
import { LineAct, lineActs } from './line-acts.part.tsx';
import { listActs } from './list-acts.part.tsx';
import {
  groupNames,
  type LineActName,
  type LineWords,
  type ServiceLine,
  type ServiceList,
  serviceLists,
} from './lists.part.ts';
import css from './service.module.css';

/** Lists of what the service sends, connects and runs with; one at a time. */
export default function Service() {
  return <ConsolePage title={<Text id="console_service.page" />}>{({ role }) => <Lists role={role} />}</ConsolePage>;
}

function Lists({ role }: { role: OperatorRole }) {
  const { query } = useQuery();
  const allowed = serviceLists.filter((list) => isRoleEnough(role, list.role));
  const shown = allowed.find(({ name }) => name === query.get('list')) ?? allowed[0];
  if (!shown) return null;
  const groups = Object.entries(groupNames).map(([group, label]) => ({
    label,
    lists: allowed.filter((list) => list.group === group),
  }));
  return (
    <div className={css.page}>
      <Menu groups={groups} shown={shown} />
      <Sheet title={shown.label}>
        <Lines key={shown.name} list={shown} role={role} />
      </Sheet>
    </div>
  );
}

interface MenuProps {
  groups: readonly { readonly label: MessageId; readonly lists: readonly ServiceList[] }[];
  shown: ServiceList;
}

/** The lists by group: beside them, or on a narrow screen in one field above them. */
function Menu({ groups, shown }: MenuProps) {
  const t = useText();
  const { addressWith, change } = useQuery();
  return (
    <nav aria-label={t('console_service.page')}>
      <div className={css.field}>
        <Select
          aria-label={t('console_service.page')}
          value={shown.name}
          onChange={({ target }) => change({ list: target.value })}
        >
          {groups.map(({ label, lists }) => (
            <optgroup key={label} label={t(label)}>
              {lists.map((list) => (
                <option key={list.name} value={list.name}>
                  {t(list.label)}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      </div>
      <div className={css.groups}>
        {groups.map(({ label, lists }) => (
          <section key={label}>
            <h2 className={css.group}>
              <Text id={label} />
            </h2>
            {lists.map((list) => (
              <AddressLink
                key={list.name}
                className={css.place}
                address={addressWith({ list: list.name })}
                aria-current={list.name === shown.name ? 'page' : undefined}
              >
                <Text id={list.label} />
              </AddressLink>
            ))}
          </section>
        ))}
      </div>
    </nav>
  );
}

interface Acting {
  readonly line: ServiceLine;
  readonly act: LineActName;
}

function Lines({ list: { name, read }, role }: { list: ServiceList; role: OperatorRole }) {
  const pages = usePages(read, []);
  const { page, setPage, request, isBusy } = pages;
  const [acting, act] = useState<Acting>();
  const [isOpen, setOpen] = useState(false);
  const whole = listActs[name];
  const hasActs = page?.items.some(({ acts = [] }) => acts.length > 0);
  const offersWhole = page && whole && isRoleEnough(role, whole.role) && (hasActs || !whole.needsActs);
  useKeptFocus();
  /** Replaces the line of an act, removes it, or reads the list again. */
  function changed(before: ServiceLine, after: ServiceLine | 'reread' | 'none'): void {
    if (after === 'reread') return void request.start();
    const instead = after === 'none' ? [] : after;
    const lines = (line: ServiceLine) => (line.id === before.id ? instead : line);
    setPage((page) => page && { ...page, items: page.items.flatMap(lines) });
  }
  return (
    <>
      {page?.lead && (
        <SheetPart>
          <LineText words={page.lead} />
        </SheetPart>
      )}
      {page?.items.length === 0 && <SheetEmpty id="console_timeline.none" role="status" />}
      <ul className={css.lines} aria-busy={isBusy || undefined}>
        {page?.items.map((line) => (
          <Line key={line.id} line={line} role={role} begin={(name) => act({ line, act: name })} />
        ))}
      </ul>
      <ListEnd list={pages} />
      {offersWhole && (
        <SheetFoot>
          <Button label={whole.label} narrow quiet onClick={() => setOpen(true)} />
        </SheetFoot>
      )}
      {isOpen && whole && <whole.Dialog done={() => void request.start()} close={() => setOpen(false)} />}
      {acting && (
        <LineAct
          {...acting}
          whom={
            <>
              <LineText words={acting.line.name} />{' '}
              {acting.act.startsWith('retry') && acting.line.details[0] && <LineText words={acting.line.details[0]} />}
            </>
          }
          done={(after) => changed(acting.line, after)}
          close={() => act(undefined)}
        />
      )}
    </>
  );
}

function LineText({ words }: { words: LineWords }) {
  const { when } = useTimes();
  const locale = localeOf(usePage().language);
  const noticeName = useNoticeName();
  if (typeof words === 'string') return <bdi translate="no">{words}</bdi>;
  if ('id' in words)
    return (
      <span>
        <Text id={words.id} values={{ ...words.values, ...(words.when && { when: when(words.when) }) }} dir="auto" />
      </span>
    );
  if ('notice' in words) return <bdi>{noticeName(words.notice)}</bdi>;
  if ('way' in words) {
    const way = wayWords[words.way];
    return <bdi>{way ? <Text id={way} /> : words.way}</bdi>;
  }
  return <bdi>{new Intl.DisplayNames(locale, { type: 'region' }).of(words.country)}</bdi>;
}

const states = {
  queued: 'console_timeline.waits',
  sent: 'console_timeline.sent',
  delivered: 'console_service.delivered',
  given_up: 'console_timeline.given_up',
} as const;

interface LineProps {
  line: ServiceLine;
  role: OperatorRole;
  begin: (act: LineActName) => void;
}

function Line({ line: { name, state, details, at, to, isOff, acts = [] }, role, begin }: LineProps) {
  const { when } = useTimes();
  const about = useId();
  const allowed = acts.filter((act) => isRoleEnough(role, lineActs[act].role));
  const looks = [(isOff || state === 'given_up') && css.bad, allowed.length > 1 && css.several];
  return (
    <li className={looks.filter(Boolean).join(' ') || undefined}>
      <span id={about} className={css.name}>
        {to ? (
          <Link to={to}>
            <LineText words={name} />
          </Link>
        ) : (
          <LineText words={name} />
        )}
      </span>
      <span id={`${about}-details`} className={css.details}>
        {state && <LineText words={{ id: states[state] }} />}
        {details.map((words) => words && <LineText key={JSON.stringify(words)} words={words} />)}
      </span>
      <span className={css.end}>
        {at && <span className={css.at}>{when(at)}</span>}
        {allowed.map((act) => (
          <TextButton
            key={act}
            danger={lineActs[act].danger ?? false}
            onClick={() => begin(act)}
            aria-describedby={`${about} ${about}-details`}
            label={lineActs[act].label}
          />
        ))}
      </span>
    </li>
  );
}
