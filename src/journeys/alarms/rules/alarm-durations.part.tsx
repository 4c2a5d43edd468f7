import { useText } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { languageOf } from '../../../contract/languages.ts';

/** Minutes that the lists offer; the API accepts any from 5 to a week. */
const offered = [5, 10, 15, 30, 60, 180, 360, 720, 1440, 2880];

const units = [
  { unit: 'day', minutes: 1440 },
  { unit: 'hour', minutes: 60 },
  { unit: 'minute', minutes: 1 },
] as const;

/** The value of a list that stands for no alarm. */
const noAlarm = 'none';

/** Formats a number of minutes in the page's language and Latin digits; null means no alarm. */
export function useAlarmDurations(): (minutes: number | null) => string {
  const { tag } = languageOf(usePage().language);
  const t = useText();
  return (count) => {
    if (count === null) return t('alarms.never');
    const { unit, minutes } = units.find((each) => count % each.minutes === 0) ?? units[2];
    const format = new Intl.NumberFormat(`${tag}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(count / minutes);
  };
}

export const choiceOf = (minutes: number | null): string => (minutes === null ? noAlarm : String(minutes));

export const minutesOf = (value: string): number | null => (value === noAlarm ? null : Number(value));

/** The `<option>`s of a list of durations; `current` is among them even if we do not offer it. */
export function DurationOptions({ current }: { current: number | null }) {
  const inWords = useAlarmDurations();
  const all = current === null || offered.includes(current) ? offered : [...offered, current].sort((a, b) => a - b);
  return [...all, null].map((minutes) => (
    <option key={choiceOf(minutes)} value={choiceOf(minutes)}>
      {inWords(minutes)}
    </option>
  ));
}
