import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import css from './chart.module.css';

/** A chart with its axes; leaves space for the labels at its ends. */
export const ChartFrame = ({ children }: { children: ReactNode }) => <div className={css.frame}>{children}</div>;

interface ChartTableProps {
  /** The chart's title. */
  readonly title: MessageId;
  /** Time, and the part of it with signals. */
  readonly rows: readonly (readonly [time: string, share: string])[];
}

/** The numbers of a chart, behind a line that opens them. */
export const ChartTable = ({ title, rows }: ChartTableProps) => (
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
          <th scope="col">
            <Text id="devices.signal" />
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([time, share]) => (
          <tr key={time}>
            <th scope="row">{time}</th>
            <td>{share}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
