import { describe, expect, test } from 'vitest';
import { openFairGate } from './fair-gate.ts';
import { whereFrom } from './visitor.ts';

/** Work that ends when told to. */
function held() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, work: () => done };
}

describe('the fair gate', () => {
  test('lets sources in by turns, known devices first and late ones last', async () => {
    const gate = openFairGate({ atOnce: 1 });
    const first = held();
    const order: string[] = [];
    const enter = (source: string, lane: 'known' | 'usual' | 'late') =>
      gate.run({ source, lane }, async () => {
        order.push(source);
      });
    const running = gate.run({ source: 'z', lane: 'usual' }, first.work);
    const waiting = [
      enter('late', 'late'),
      enter('flood', 'usual'),
      enter('flood', 'usual'),
      enter('flood', 'usual'),
      enter('person', 'usual'),
      enter('owner', 'known'),
    ];
    first.end();
    await Promise.all([running, ...waiting]);
    expect(order).toEqual(['owner', 'flood', 'person', 'flood', 'flood', 'late']);
  });

  test('refuses before any work when a source or the gate has too many waiting', async () => {
    const gate = openFairGate({ atOnce: 1, waitingPerSource: 2, waiting: 3 });
    const first = held();
    const all = [gate.run({ source: 'a', lane: 'usual' }, first.work)];
    let worked = 0;
    const enter = (source: string, lane: 'known' | 'usual') =>
      gate.run({ source, lane }, async () => {
        worked += 1;
      });
    all.push(enter('a', 'usual'), enter('a', 'usual'));
    await expect(enter('a', 'usual')).rejects.toMatchObject({ code: 'try_again_later' });
    all.push(enter('b', 'usual'));
    await expect(enter('c', 'usual')).rejects.toMatchObject({ code: 'try_again_later' });
    all.push(enter('owner', 'known'));
    first.end();
    await Promise.all(all);
    expect(worked).toBe(4);
  });

  test('goes on after work that failed', async () => {
    const gate = openFairGate({ atOnce: 1 });
    await expect(gate.run({ source: 'a', lane: 'usual' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.run({ source: 'a', lane: 'usual' }, async () => 'yes')).resolves.toBe('yes');
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
])('the source of %s is %s', (ip, source) => expect(whereFrom(ip).source).toBe(source));
