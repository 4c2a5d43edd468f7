import { days, hours, minutes, seconds } from '../contract/durations.ts';

/** Seconds as people say them: `45 s`, `12 min`, `3 h`, `2 d`. */
export function readable(age: number): string {
  const units = [
    ['d', days(1)],
    ['h', hours(1)],
    ['min', minutes(1)],
  ] as const;
  const [unit, length] = units.find(([, one]) => seconds(age) >= one) ?? ['s', seconds(1)];
  return `${Math.floor(seconds(age) / length)} ${unit}`;
}
