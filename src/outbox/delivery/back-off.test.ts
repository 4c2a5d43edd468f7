import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import { pauseAfter } from './back-off.ts';

describe.each([
  { of: 'email', pauses: [seconds(2), seconds(10), seconds(30), minutes(2), minutes(5), minutes(5)] },
  { of: 'refused', pauses: [minutes(15), hours(1), hours(3), hours(6), hours(6)] },
  { of: 'server', pauses: [seconds(1), seconds(2), seconds(5), seconds(10), seconds(15), seconds(15)] },
  { of: 'refusing', pauses: [seconds(15), minutes(1), minutes(5), minutes(5)] },
] as const)('the back-off of kind $of', ({ of, pauses }) => {
  it.each(pauses.map((pause, at) => ({ attempts: at + 1, pause })))(
    'after $attempts attempts: $pause ms, a fifth more or less',
    ({ attempts, pause }) => {
      expect(pauseAfter[of]({ attempts, random: 0.5 })).toBe(pause);
      expect(pauseAfter[of]({ attempts, random: 0 })).toBe(pause * 0.8);
      expect(pauseAfter[of]({ attempts, random: 1 })).toBe(pause * 1.2);
    },
  );

  it('stops growing', () => expect(pauseAfter[of]({ attempts: 99, random: 0.5 })).toBe(pauses.at(-1)));
});
