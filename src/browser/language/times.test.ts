import { expect, it } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { timesIn } from './times.ts';

const noon = Date.UTC(2024, 10, 28, 12);

it.each([
  ['ru', '28\u00a0нояб. 2024\u00a0г.'],
  ['uk', '28\u00a0лист. 2024\u00a0р.'],
  ['en-US', 'Nov 28, 2024'],
])('no line ends between a number and its word: %s', (locale, day) => {
  const times = timesIn(locale);
  expect(times.day(noon)).toBe(day);
  expect(times.when(noon)).not.toMatch(/\d \p{L}/u);
  expect(times.brief(noon)).not.toMatch(/\d \p{L}/u);
  expect(times.ago(minutes(5))).not.toMatch(/\d \p{L}/u);
  expect(times.duration(minutes(5))).not.toMatch(/\d \p{L}/u);
});

it.each([
  [0, '1\u00a0min'],
  [minutes(11.9), '11\u00a0min'],
  [minutes(119), '119\u00a0min'],
  [hours(2.9), '2\u00a0hr'],
  [hours(47), '47\u00a0hr'],
  [days(2), '2\u00a0days'],
])('a duration of %i ms has whole units, rounded down', (passed, written) => {
  expect(timesIn('en').duration(passed)).toBe(written);
});
