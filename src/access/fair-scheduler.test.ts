import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Failure } from '../contract/failures.ts';
import { seconds } from '../contract/units.ts';
import { rateLimitOrigin } from '../http/incoming/visitor.ts';
import { openFairScheduler } from './fair-scheduler.ts';

const from = (ip: string) => rateLimitOrigin(ip);

/** A scheduler on an event loop that the test turns, with a clock and a processor of its own. */
function scheduled(options: { perSource?: number; maxWaiting?: number } = {}) {
  const time = { now: 0, used: 0 };
  const turns: (() => void)[] = [];
  const scheduler = openFairScheduler({
    ...options,
    now: () => time.now,
    used: () => time.used,
    nextTurn: (begin) => turns.push(begin),
  });
  const begun: string[] = [];
  const refused: string[] = [];
  const request = (name: string, ip = '192.0.2.1') => {
    const turn = scheduler.begin(from(ip));
    if (!turn) begun.push(name);
    else
      turn.then(
        () => begun.push(name),
        (error: unknown) => refused.push(`${name} ${error instanceof Failure && error.code}`),
      );
  };
  /** Ends the turn of the event loop, in which requests worked for some milliseconds. */
  const turn = async (worked = 0) => {
    time.used += worked;
    for (const begin of turns.splice(0)) begin();
    await pause(0);
    return begun.splice(0);
  };
  const burst = (count: number, ip?: string) => {
    for (let at = 0; at < count; at += 1) request(`${at}`, ip);
    return begun.splice(0).length;
  };
  return { time, scheduler, request, burst, turn, refused, turns };
}

test('requests begin immediately while a turn of the event loop has few', () => {
  const { burst, scheduler } = scheduled();
  expect(burst(16)).toBe(16);
  expect(scheduler.state()).toEqual({ waiting: 0, proven: 0, refused: 0, perTurn: 16 });
});

test('the others begin in later turns: half as many after a long turn, one more after a short one', async () => {
  const { burst, turn } = scheduled();
  expect(burst(60)).toBe(16);
  const counts: number[] = [];
  for (const worked of [9, 9, 9, 9, 1, 1, 9]) counts.push((await turn(worked)).length);
  expect(counts).toEqual([8, 4, 2, 1, 2, 3, 1]);
});

test('a wait for the disk, which uses no processor, does not reduce the requests of a turn', async () => {
  const { burst, turn, time } = scheduled();
  burst(60);
  time.now += seconds(1);
  expect(await turn(1)).toHaveLength(17);
});

test('a newcomer begins before the waiting requests of a flood', async () => {
  const { burst, request, turn } = scheduled();
  burst(60, '198.51.100.1');
  request('newcomer', '203.0.113.9');
  expect((await turn(9))[0]).toBe('newcomer');
});

test('a source has a limited number of waiting requests, and one more is refused before any work', async () => {
  const { burst, refused, turn, request } = scheduled({ perSource: 10 });
  burst(30);
  await pause(0);
  expect(refused).toEqual(['26', '27', '28', '29'].map((name) => `${name} try_again_later`));
  request('newcomer', '203.0.113.9');
  expect(await turn(9)).toContain('newcomer');
});

test('a full queue refuses a request of the longest queue instead of a newcomer', async () => {
  const { burst, refused, turn, request } = scheduled({ maxWaiting: 10 });
  burst(26);
  request('newcomer', '203.0.113.9');
  expect(await turn(9)).toContain('newcomer');
  expect(refused).toHaveLength(1);
});

test('a request that waits for more than ten seconds is refused', async () => {
  const { burst, refused, turn, time } = scheduled();
  burst(20);
  time.now += seconds(11);
  expect(await turn()).toEqual([]);
  expect(refused).toHaveLength(4);
});

test('after a pause, no turn is planned and requests begin immediately again', async () => {
  const { burst, turn, turns } = scheduled();
  burst(20);
  while (turns.length > 0) await turn();
  expect(burst(10)).toBe(10);
});
