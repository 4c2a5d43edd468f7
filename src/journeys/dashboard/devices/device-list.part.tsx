import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { SheetFoot } from '../../../ui/layouts/sheet.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import type { Arrangement, Order } from './arrange.part.ts';
import type { Line } from './by-tag.part.ts';
import { BlankRow, BlankTile, GroupRow, GroupTile, Row, Tile } from './device-lines.part.tsx';
import css from './device-list.module.css';
import { DayAxis, Legend } from './strip.part.tsx';
import { useMore } from './use-more.part.ts';

/** Rows at first and for each press of the button below them, so that a thousand devices do not slow the page down. */
const rowsAtOnce = { table: 50, compact: 120 };

interface DeviceListProps {
  readonly lines: readonly Line[];
  readonly arrangement: Arrangement;
  readonly setOrder: (order: Order) => void;
  /** The server's time in milliseconds since the epoch. */
  readonly at: number;
  /** Another key shows the first lines again. */
  readonly selection: string;
  /** Below the devices. */
  readonly children?: ReactNode;
}

/** The first devices, as a table or as tiles; more appear on demand. */
export function DeviceList({ lines, arrangement, setOrder, at, selection, children }: DeviceListProps) {
  const { compact } = arrangement;
  const step = compact ? rowsAtOnce.compact : rowsAtOnce.table;
  const rows = useMore({ count: lines.length, step, key: selection });
  const visible = lines.slice(0, rows.shown);
  return (
    <>
      {lines.length > 0 &&
        (compact ? (
          <ul ref={rows.container} className={css.tiles}>
            {visible.map((line, index) => {
              if ('tag' in line) return <GroupTile {...line} key={line.key} />;
              return index < rows.drawn ? <Tile key={line.key} seen={line.seen} /> : <BlankTile key={line.key} />;
            })}
          </ul>
        ) : (
          <table className={css.table}>
            <thead>
              <tr>
                <Sortable order="name" label="dashboard.filter_device" {...{ arrangement, setOrder }}>
                  <div className={css.narrow}>
                    <Text id="devices.day" />
                    <DayAxis at={at} step={6} />
                  </div>
                </Sortable>
                <Sortable order="state" label="devices.state" className={css.wide} {...{ arrangement, setOrder }} />
                <th scope="col" className={`${css.wide} ${css.day}`}>
                  <Text id="devices.day" />
                  <DayAxis at={at} step={6} />
                </th>
                <Sortable
                  order="newest"
                  label="devices.newest"
                  className={`${css.wide} ${css.newest}`}
                  {...{ arrangement, setOrder }}
                />
              </tr>
            </thead>
            <tbody ref={rows.container}>
              {visible.map((line, index) => {
                if ('tag' in line) return <GroupRow {...line} key={line.key} />;
                return index < rows.drawn ? <Row key={line.key} seen={line.seen} /> : <BlankRow key={line.key} />;
              })}
            </tbody>
          </table>
        ))}
      {rows.left > 0 && (
        <SheetFoot>
          <TextButton onClick={rows.show}>
            <Text id="dashboard.attention_more" values={{ count: Math.min(step, rows.left) }} />
          </TextButton>
        </SheetFoot>
      )}
      {(lines.length > 0 || children) && (
        <SheetFoot>
          {lines.length > 0 && <Legend />}
          {children}
        </SheetFoot>
      )}
    </>
  );
}

interface SortableProps {
  readonly order: Order;
  readonly label: MessageId;
  readonly className?: string | undefined;
  readonly arrangement: Arrangement;
  readonly setOrder: (order: Order) => void;
  /** Below the button. */
  readonly children?: ReactNode;
}

function Sortable({ order, label, className, arrangement, setOrder, children }: SortableProps) {
  const isSorted = order === arrangement.order;
  const direction = arrangement.reversed ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined} className={className}>
      <button type="button" className={css.sort} onClick={() => setOrder(order)}>
        <Text id={label} />
      </button>
      {children}
    </th>
  );
}
