import { type ReactNode, useDeferredValue } from 'react';
import { useCollation } from '../../../browser/language/collation.ts';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Sheet, SheetPart } from '../../../ui/layouts/sheet.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { type Arrangement, type Order, useArranged, useArrangement } from './arrange.part.ts';
import { groupedByTag, tagsOf, ungrouped } from './by-tag.part.ts';
import { DeviceFilters } from './device-filters.part.tsx';
import { GroupRow, GroupTile, Row, Tile } from './device-lines.part.tsx';
import type { Seen } from './device-state.part.tsx';
import css from './device-table.module.css';
import { DayAxis, Legend } from './strip.part.tsx';
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
  const { setOrder } = arranging;
  // While someone types, the list follows in tasks that are too short to delay the next letter.
  const arrangement = useDeferredValue(arranging.arrangement);
  const { matching, shown } = useArranged(all, arrangement);
  const step = arrangement.compact ? rowsAtOnce.compact : rowsAtOnce.table;
  const { group, system, tag, byTag, find, compact } = arrangement;
  const tags = tagsOf(all, useCollation());
  const lines = byTag ? groupedByTag(shown, tags) : ungrouped(shown);
  const rows = useMore({ count: lines.length, step, key: `${group} ${system} ${tag} ${byTag} ${find} ${compact}` });
  const visible = lines.slice(0, rows.shown);
  return (
    <Sheet title="dashboard.devices">
      <DeviceFilters all={all} tags={tags} matching={matching} found={shown.length} {...arranging} />
      {shown.length > 0 &&
        (arrangement.compact ? (
          <ul ref={rows.container} className={css.tiles}>
            {visible.map((line) =>
              'tag' in line ? <GroupTile {...line} key={line.key} /> : <Tile key={line.key} seen={line.seen} />,
            )}
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
              {visible.map((line) =>
                'tag' in line ? <GroupRow {...line} key={line.key} /> : <Row key={line.key} seen={line.seen} />,
              )}
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
