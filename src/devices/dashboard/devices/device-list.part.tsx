import { type ReactNode, useDeferredValue, useEffect, useId, useMemo, useState } from 'react';
import { useCollation } from '../../../browser/language/language.tsx';
import { Text, useText } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Sheet, SheetFoot } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { PrintedFilters } from '../filters.part.tsx';
import { usePrinting } from '../long-list.part.tsx';
import {
  type Arrangement,
  arranged,
  groupedByTag,
  type Line,
  type Order,
  tagsOf,
  ungrouped,
  useArrangement,
} from './arrange.part.ts';
import { DeviceFilters, FindDevice, ViewToggles } from './device-filters.part.tsx';
import { BlankRow, BlankTile, GroupRow, GroupTile, Row, Tile, useMore } from './device-lines.part.tsx';
import css from './device-list.module.css';
import { groupWords, type Seen } from './device-state.part.tsx';
import { DayAxis, Legend } from './strip.part.tsx';

/** Rows at first and for each press of the button below them, so that a thousand devices do not slow the page down. */
const rowsPerStep = { table: 50, compact: 120 };

/** Columns of tiles on the widest screens; each has its axis. */
const columns = Array.from({ length: 18 }, (_, column) => column);

interface DeviceListProps {
  readonly lines: readonly Line[];
  readonly arrangement: Arrangement;
  readonly setOrder: (order: Order) => void;
  /** The server's time in milliseconds since the epoch. */
  readonly at: number;
  /** Another key shows the first lines again. */
  readonly selection: string;
}

/** The first devices, as a table or as tiles; more appear on demand. On paper, all of them are a table. */
function DeviceList({ lines, arrangement, setOrder, at, selection }: DeviceListProps) {
  const isPrinting = usePrinting();
  const compact = arrangement.compact && !isPrinting;
  const step = compact ? rowsPerStep.compact : rowsPerStep.table;
  const rows = useMore({ count: lines.length, step, key: selection });
  const [shown, drawn] = isPrinting ? [lines.length, lines.length] : [rows.shown, rows.drawn];
  const visible = lines.slice(0, shown);
  const sorting = { arrangement, setOrder, isPrinting };
  return (
    <>
      {lines.length > 0 &&
        (compact ? (
          <>
            <div className={`${css.tiles} ${css.head}`}>
              {columns.map((column) => (
                <DayAxis key={column} at={at} step={6} />
              ))}
            </div>
            <Tiles>
              <ul ref={rows.container} className={css.tiles}>
                {visible.map((line, index) => {
                  if (!('seen' in line)) return <GroupTile line={line} key={line.key} />;
                  return index < drawn ? <Tile key={line.key} seen={line.seen} /> : <BlankTile key={line.key} />;
                })}
              </ul>
            </Tiles>
          </>
        ) : (
          <table className={css.table}>
            <thead>
              <tr>
                <Sortable order="name" label="dashboard.filter_device" {...sorting}>
                  <div className={css.narrow}>
                    <DayAxis at={at} step={6} />
                  </div>
                </Sortable>
                <Sortable order="state" label="devices.state" className={css.wide} {...sorting} />
                <th scope="col" className={`${css.wide} ${css.day}`}>
                  <Text id="devices.day" />
                  <DayAxis at={at} step={6} />
                </th>
                <Sortable order="newest" label="devices.newest" className={`${css.wide} ${css.newest}`} {...sorting} />
              </tr>
            </thead>
            <tbody ref={rows.container}>
              {visible.map((line, index) => {
                if (!('seen' in line)) return <GroupRow line={line} key={line.key} />;
                return index < drawn ? <Row key={line.key} seen={line.seen} /> : <BlankRow key={line.key} />;
              })}
            </tbody>
          </table>
        ))}
      {lines.length > shown && (
        <SheetFoot>
          <TextButton onClick={rows.show}>
            <Text id="dashboard.attention_more" values={{ count: Math.min(step, rows.left) }} />
          </TextButton>
        </SheetFoot>
      )}
      {lines.length > 0 && (
        <SheetFoot>
          <span className={compact ? css.span : `${css.span} ${css.narrow}`}>
            <Text id="devices.day" />
          </span>
          <Legend />
        </SheetFoot>
      )}
    </>
  );
}

/** Around tiles, which show their device's state on hover and focus; Escape hides it until the next tile. */
function Tiles({ children }: { children: ReactNode }) {
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    const hush = ({ key }: KeyboardEvent) => setQuiet((before) => before || key === 'Escape');
    addEventListener('keydown', hush);
    return () => removeEventListener('keydown', hush);
  }, []);
  const resume = () => setQuiet(false);
  return (
    <div className={isQuiet ? css.quiet : undefined} onPointerOver={resume} onFocus={resume}>
      {children}
    </div>
  );
}

interface SortableProps {
  readonly order: Order;
  readonly label: MessageId;
  readonly className?: string | undefined;
  readonly arrangement: Arrangement;
  readonly setOrder: (order: Order) => void;
  /** Chromium repeats no buttons on further pages. */
  readonly isPrinting: boolean;
  /** Below the button. */
  readonly children?: ReactNode;
}

function Sortable({ order, label, className, arrangement, setOrder, isPrinting, children }: SortableProps) {
  const isSorted = order === arrangement.order;
  const direction = arrangement.reversed ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined} className={className}>
      {isPrinting ? (
        <Text id={label} />
      ) : (
        <button type="button" className={css.sort} onClick={() => setOrder(order)}>
          <Text id={label} />
        </button>
      )}
      {children}
    </th>
  );
}

/** The active filters in words. */
function useFilterWords({ find, group, system, tag }: Arrangement, count: number) {
  const t = useText();
  const filters = [
    ['label.search', find],
    ['devices.state', group ? t(groupWords[group], { count }) : ''],
    ['devices.system', system],
    ['devices.tag', tag],
  ] as const;
  return filters.filter(([, value]) => value !== '');
}

/** Up to this many devices need no search and no filters. */
const fewDevices = 6;

interface DeviceTableProps {
  /** The dashboard has a heading, a link to the page about devices alone, and less of everything. */
  readonly on: 'dashboard' | 'devices';
  readonly all: readonly Seen[];
  /** The server's time in milliseconds since the epoch. */
  readonly at: number;
  readonly compactByDefault: boolean;
}

/** The devices that match the filters in the page's address, as a table or as tiles. */
export function DeviceTable({ on, all, at, compactByDefault }: DeviceTableProps) {
  const arranging = useArrangement(on, compactByDefault);
  const { setOrder } = arranging;
  // While someone types, the list follows in tasks that are too short to delay the next letter.
  const arrangement = useDeferredValue(arranging.arrangement);
  const compare = useCollation();
  const { matching, shown, tags, lines } = useMemo(() => {
    const found = arranged(all, arrangement, compare);
    const known = tagsOf(all, compare);
    return {
      ...found,
      tags: known,
      lines: arrangement.byTag ? groupedByTag(found.shown, known) : ungrouped(found.shown, arrangement),
    };
  }, [all, arrangement, compare]);
  const { group, system, tag, byTag, find, compact } = arrangement;
  const isArranged = [system, tag, byTag, find, compact !== compactByDefault].some(Boolean);
  const isMany = all.length > fewDevices || isArranged;
  // Filters that were there stay, since the user may be about to press one.
  const [wereMany, setMany] = useState(isMany);
  if (isMany && !wereMany) setMany(true);
  const findId = useId();
  const most = on === 'dashboard' ? 'line' : 'everything';
  return (
    <Sheet
      title={on === 'dashboard' ? 'devices.page' : undefined}
      aside={
        <div className={css.aside}>
          {wereMany && <FindDevice id={findId} arranging={arranging} head />}
          {wereMany && <ViewToggles tags={tags} arranging={arranging} />}
          {on === 'dashboard' && <Link to="/dashboard/wall/" className={css.beside} text="wall.page" />}
          <Link to="/devices/" text="devices.all" />
        </div>
      }
    >
      {(all.length > 1 || wereMany || group) && (
        <DeviceFilters
          extent={wereMany ? most : 'states'}
          found={shown.length}
          {...{ all, tags, matching, arranging, findId }}
        />
      )}
      <PrintedFilters filters={useFilterWords(arrangement, shown.length)} />
      <DeviceList
        lines={lines}
        selection={`${group} ${system} ${tag} ${byTag} ${find} ${compact}`}
        {...{ at, arrangement, setOrder }}
      />
    </Sheet>
  );
}
