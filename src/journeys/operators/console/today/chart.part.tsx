import { Text, useText } from '../../../../browser/language/text.tsx';
import type { MessageId } from '../../../../messages/ids.ts';
import { ChartTable } from '../../../../ui/chart-table.tsx';
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
  const [first = [], second = []] = lines.map(({ values }) => runsOf(values, most));
  const labels = [periods[0], periods[Math.floor(periods.length / 2)], periods.at(-1)];
  return (
    <div className={css.frame}>
      <svg className={css.chart} viewBox={`0 0 ${last} 1`} preserveAspectRatio="none" role="img" aria-label={t(title)}>
        <path className={css.area} d={areaOf(first)} />
        <path className={css.line} d={lineOf(first)} />
        <path className={css.second} d={lineOf(second)} />
      </svg>
      <div className={css.axis} aria-hidden="true">
        {labels.map((label, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a label is identified by its place
          <span key={place}>{label}</span>
        ))}
      </div>
      <ChartTable
        title={title}
        columns={lines.map(({ label }) => label)}
        rows={periods.map((period, place) => [
          period,
          ...lines.map(({ values }) => (values[place] === undefined ? '–' : format(values[place]))),
        ])}
      >
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
      </ChartTable>
    </div>
  );
}

/** The stretches of a line without gaps, in a box of height 1 with `most` at its top. */
function runsOf(values: Line['values'], most: number) {
  const runs: { readonly start: number; end: number; path: string }[] = [];
  for (const [at, value] of values.entries()) {
    if (value === undefined) continue;
    const point = `${at} ${(1 - value / most).toFixed(4)}`;
    const last = runs.at(-1);
    if (last?.end === at - 1) {
      last.end = at;
      last.path += `L${point}`;
    } else runs.push({ start: at, end: at, path: `M${point}h0` });
  }
  return runs;
}

const lineOf = (runs: ReturnType<typeof runsOf>): string => runs.map(({ path }) => path).join('');
const areaOf = (runs: ReturnType<typeof runsOf>): string =>
  runs.map(({ start, path }) => `${path}V1H${start}Z`).join('');
