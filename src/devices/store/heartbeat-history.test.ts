import { expect, it } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { historyAt, historyWithHeartbeat } from './heartbeat-history.ts';

const start = days(20_000);
const seen = { signs: '1', history: '1', last_seen_at: start };

it('thirty days of history drop what is older', () => {
  expect(historyAt(seen, start + days(29))).toBe(`1${'0'.repeat(232)}`);
  expect(historyAt(seen, start + days(30))).toBe('0'.repeat(240));
  expect(historyWithHeartbeat(seen, start + days(400))).toBe(`${'0'.repeat(239)}1`);
});

it('three hours have twelve quarters with a heartbeat at most', () => {
  let device = seen;
  for (let at = start; at < start + hours(3); at += minutes(5)) {
    const history = historyWithHeartbeat(device, at);
    device = { signs: `${'1'.repeat(95)}1`, history, last_seen_at: at };
  }
  expect(device.history).toBe('c');
});

it('a computer from before the history starts with its next heartbeat', () => {
  expect(historyWithHeartbeat({ signs: '0', history: '', last_seen_at: start }, start + hours(7))).toBe('001'.slice(1));
});
