import { Text, useText } from '../../../../browser/language/text.tsx';
import type { MessageId } from '../../../../messages/ids.ts';
import { VisuallyHidden } from '../../../../ui/text-on-page.tsx';
import css from './chart.module.css';

/** One line of a chart, with a value for each period; undefined where nothing is known. */
export interface Line {
  readonly label: MessageId;
  readonly values: readonly (number | undefined)[];
}

interface ChartProps {
  readonly title: MessageId;
  /** Names of the periods, the oldest first. */
  readonly periods: readonly string[];
  /** One or two. */
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

/** A chart over time, and the same as a table. */
export function Chart({ title, periods, lines, format }: ChartProps) {
  const t = useText();
  const most = Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const last = Math.max(1, periods.length - 1);
  const [first, second] = lines;
  const labels = [periods[0], periods[Math.floor(periods.length / 2)], periods.at(-1)];
  return (
    <div className={css.frame}>
      <svg className={css.chart} viewBox={`0 0 ${last} 1`} preserveAspectRatio="none" role="img" aria-label={t(title)}>
        {first && <path className={css.area} d={`${pathOf(first.values, most)}V1H0Z`} />}
        {first && <path className={css.line} d={pathOf(first.values, most)} />}
        {second && <path className={css.second} d={pathOf(second.values, most)} />}
      </svg>
      <div className={css.axis} aria-hidden="true">
        {labels.map((label, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a label is identified by its place
          <span key={place}>{label}</span>
        ))}
      </div>
      {lines.length > 1 && (
        <p className={css.legend}>
          {lines.map(({ label }, place) => (
            <span key={label}>
              <svg className={css.key} viewBox="0 0 20 2" aria-hidden="true">
                <path className={place === 0 ? css.line : css.second} d="M0 1H20" />
              </svg>
              <Text id={label} />
            </span>
          ))}
        </p>
      )}
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
              {lines.map(({ label }) => (
                <th key={label} scope="col">
                  <Text id={label} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {periods.map((period, place) => (
              <tr key={period}>
                <th scope="row">{period}</th>
                {lines.map(({ label, values }) => (
                  <td key={label}>{values[place] === undefined ? '–' : format(values[place])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

/** A path through the values, from the top (`most`) to the bottom (0) of a box of height 1. */
const pathOf = (values: readonly (number | undefined)[], most: number): string =>
  `M${values.map((value, at) => `${at} ${(1 - (value ?? 0) / most).toFixed(4)}`).join('L')}`;
