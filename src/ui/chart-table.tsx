import type { ReactNode } from 'react';
import { Text } from '../browser/language/text.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './chart-table.module.css';
import { VisuallyHidden } from './visually-hidden.tsx';

interface ChartTableProps {
  readonly title: MessageId;
  /** Headings of the columns after the time. */
  readonly columns: readonly MessageId[];
  /** Time, and a value for each column. */
  readonly rows: readonly (readonly [time: string, ...values: string[]])[];
  readonly children?: ReactNode;
}

/** The legend of a chart, and its numbers behind a line that opens them. */
export const ChartTable = ({ title, columns, rows, children }: ChartTableProps) => (
  <div className={css.foot}>
    {children}
    <details className={css.details}>
      <summary className={css.summary}>
        <Text id="device.table" />
      </summary>
      <table className={css.table}>
        <caption>
          <VisuallyHidden>
            <Text id={title} />
          </VisuallyHidden>
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <Text id="device.time" />
            </th>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Text id={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([time, ...values]) => (
            <tr key={time}>
              <th scope="row">{time}</th>
              {values.map((value, column) => (
                <td key={columns[column]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  </div>
);
