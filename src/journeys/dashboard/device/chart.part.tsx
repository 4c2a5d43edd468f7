import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { Legend } from '../devices/strip.part.tsx';
import css from './chart.module.css';

/** A chart with its axes. */
export const ChartFrame = ({ children }: { children: ReactNode }) => <div className={css.frame}>{children}</div>;

/** The time with signals, beside the chart's title. */
export const ChartShare = ({ children }: { children: ReactNode }) => <p className={css.share}>{children}</p>;

interface ChartTableProps {
  /** The chart's title. */
  readonly title: MessageId;
  /** Time, and the part of it with signals. */
  readonly rows: readonly (readonly [time: string, share: string])[];
}

/** The legend of a chart, and its numbers behind a line that opens them. */
export const ChartTable = ({ title, rows }: ChartTableProps) => (
  <div className={css.foot}>
    <Legend />
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
  </div>
);
