import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { hours, minutes } from '../../../contract/durations.ts';
import { Sheet, SheetPart } from '../../../ui/layouts/sheet.tsx';
import { DayAxis, Strip } from '../devices/strip.part.tsx';
import { ChartFrame, ChartShare, ChartTable } from './chart.part.tsx';

const quarter = minutes(15);

interface DayChartProps {
  readonly signs: string;
  /** The end of the day: milliseconds since the epoch. */
  readonly at: number;
}

/** The last 24 hours of a device by quarter hours. */
export function DayChart({ signs, at }: DayChartProps) {
  const { hour, share } = useTimes();
  const rows = hourlyShares(signs, at).map(({ start, part }) => [hour(start), share(part)] as const);
  const alive = [...signs].filter((sign) => sign === '1').length / Math.max(1, signs.length);
  return (
    <Sheet
      title="devices.day"
      aside={
        <ChartShare>
          <Text id="dashboard.signs" values={{ share: share(alive) }} />
        </ChartShare>
      }
    >
      <SheetPart>
        <ChartFrame>
          <Strip signs={signs} tall />
          <DayAxis at={at} step={3} />
        </ChartFrame>
        <ChartTable title="devices.day" rows={rows} />
      </SheetPart>
    </Sheet>
  );
}

/** The part of each hour with a heartbeat, by hours of the browser's time zone. */
function hourlyShares(signs: string, at: number): { start: number; part: number }[] {
  const first = Math.floor(at / quarter) * quarter - (signs.length - 1) * quarter;
  const found = new Map<number, { alive: number; all: number }>();
  for (const [place, sign] of [...signs].entries()) {
    const start = Math.floor((first + place * quarter) / hours(1)) * hours(1);
    const { alive, all } = found.get(start) ?? { alive: 0, all: 0 };
    found.set(start, { alive: alive + (sign === '1' ? 1 : 0), all: all + 1 });
  }
  return [...found].map(([start, { alive, all }]) => ({ start, part: alive / all }));
}
