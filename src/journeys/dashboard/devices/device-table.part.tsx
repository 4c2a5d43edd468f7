import { type ReactNode, useId } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Sheet, SheetPart } from '../../../ui/layouts/sheet.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { RecordWords } from '../records/record-words.part.tsx';
import { type Arrangement, type Order, useArranged, useArrangement } from './arrange.part.ts';
import { DeviceFilters } from './device-filters.part.tsx';
import { DeviceState, Light, type Seen } from './device-state.part.tsx';
import css from './device-table.module.css';
import { platformName } from './platform.part.tsx';
import { DayAxis, Legend, Strip } from './strip.part.tsx';
import { useMore } from './use-more.part.ts';

/** Rows at first and for each press of the button below them, so that a thousand devices do not slow the page down. */
const rowsAtOnce = { table: 50, compact: 120 };

interface DeviceTableProps {
  readonly all: readonly Seen[];
  /** The server's time in milliseconds since the epoch. */
  readonly at: number;
  readonly compactByDefault: boolean;
  /** Below the devices. */
  readonly children?: ReactNode;
}

/** The devices that match the filters in the page's address, as a table or as tiles. */
export function DeviceTable({ all, at, compactByDefault, children }: DeviceTableProps) {
  const arranging = useArrangement(compactByDefault);
  const { arrangement, setOrder } = arranging;
  const { matching, shown } = useArranged(all, arrangement);
  const step = arrangement.compact ? rowsAtOnce.compact : rowsAtOnce.table;
  const { group, system, find, compact } = arrangement;
  const rows = useMore({ count: shown.length, step, key: `${group} ${system} ${find} ${compact}` });
  const visible = shown.slice(0, rows.shown);
  return (
    <Sheet title="dashboard.devices">
      <DeviceFilters all={all} matching={matching} found={shown.length} {...arranging} />
      {shown.length > 0 &&
        (arrangement.compact ? (
          <ul ref={rows.container} className={css.tiles}>
            {visible.map((seen) => (
              <Tile key={seen.computer.id} seen={seen} />
            ))}
          </ul>
        ) : (
          <table className={css.table}>
            <thead>
              <tr>
                <Sortable order="name" label="dashboard.filter_device" {...{ arrangement, setOrder }} />
                <Sortable order="state" label="devices.state" wide {...{ arrangement, setOrder }} />
                <th scope="col" className={css.day}>
                  <Text id="devices.day" />
                  <DayAxis at={at} step={6} />
                </th>
                <Sortable order="newest" label="devices.newest" wide {...{ arrangement, setOrder }} />
              </tr>
            </thead>
            <tbody ref={rows.container}>
              {visible.map((seen) => (
                <Row key={seen.computer.id} seen={seen} />
              ))}
            </tbody>
          </table>
        ))}
      <SheetPart>
        {rows.left > 0 && (
          <TextButton onClick={rows.show}>
            <Text id="dashboard.attention_more" values={{ count: Math.min(step, rows.left) }} />
          </TextButton>
        )}
        <div className={css.foot}>
          <Legend />
          {children}
        </div>
      </SheetPart>
    </Sheet>
  );
}

interface SortableProps {
  readonly order: Order;
  readonly label: MessageId;
  /** Only on wide screens. */
  readonly wide?: boolean;
  readonly arrangement: Arrangement;
  readonly setOrder: (order: Order) => void;
}

function Sortable({ order, label, wide = false, arrangement, setOrder }: SortableProps) {
  const isSorted = order === arrangement.order;
  const direction = arrangement.reversed ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined} className={wide ? css.wide : undefined}>
      <button type="button" className={css.sort} onClick={() => setOrder(order)}>
        <Text id={label} />
      </button>
    </th>
  );
}

const addressOf = (id: string) => `/devices/${encodeURIComponent(id)}/`;

function Row({ seen }: { seen: Seen }) {
  const { when } = useTimes();
  const { id, name, platform, signs, newest } = seen.computer;
  return (
    <tr>
      <th scope="row">
        <span className={css.lit}>
          <Light seen={seen} />
          <span className={css.words}>
            <Link to={addressOf(id)}>
              <bdi>{name}</bdi>
            </Link>
            <bdi className={css.detail} translate="no">
              {platformName(platform)}
            </bdi>
            <span className={`${css.detail} ${css.narrow}`}>
              <DeviceState seen={seen} />
            </span>
          </span>
        </span>
      </th>
      <td className={css.wide}>
        <DeviceState seen={seen} />
      </td>
      <td className={css.day}>
        <Strip signs={signs} />
      </td>
      <td className={css.wide}>
        {newest && (
          <span className={css.newest}>
            <span>
              <RecordWords kind={newest.kind} text={newest.text} />
            </span>
            <time className={css.detail} dateTime={newest.at}>
              {when(newest.at)}
            </time>
          </span>
        )}
      </td>
    </tr>
  );
}

function Tile({ seen }: { seen: Seen }) {
  const { id, name, signs } = seen.computer;
  const state = useId();
  return (
    <li className={css.tile}>
      <Link to={addressOf(id)} className={css.tileName} aria-describedby={state}>
        <Light seen={seen} />
        <bdi className={css.short}>{name}</bdi>
      </Link>
      <span id={state}>
        <VisuallyHidden>
          <DeviceState seen={seen} />
        </VisuallyHidden>
      </span>
      <Strip signs={signs} />
    </li>
  );
}
