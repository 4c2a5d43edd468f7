import { describe, expect, test } from 'vitest';
import { days, hours } from '../contract/units.ts';
import { cleanUp } from '../store/clean-up.ts';
import type { Store } from '../store/database.ts';
import { openCounters } from '../store/operators/statistics.ts';
import { engines, freshStore } from '../testing/databases/databases.ts';
import { statistics } from './statistics.ts';

const noon = Date.UTC(2026, 10, 21, 12);

describe.each(engines)('statistics, on %s,', async (engine) => {
  const store = await freshStore(engine);
  let now = noon;
  const read = (
    series: 'emails' | 'calls' | 'devices' | 'response_times' | 'refused_from',
    by: 'hour' | 'day' = 'hour',
  ) => statistics({ store, series, by, from: now - days(2), to: now, now });

  test('add what all nodes counted, by hour and by day', async () => {
    const nodes = [openCounters(store, () => now), openCounters(store, () => now)];
    now = noon - hours(13);
    for (const { count } of nodes) count('emails', 'sent');
    now = noon;
    for (const { count } of nodes) count('emails', 'sent', 2);
    nodes[0]?.count('emails', 'returned');
    await Promise.all(nodes.map(({ flush }) => flush()));
    expect(await read('emails')).toEqual([
      { series: 'emails', at: '2026-11-20T23:00:00.000Z', values: { sent: 2 } },
      { series: 'emails', at: '2026-11-21T12:00:00.000Z', values: { returned: 1, sent: 4 } },
    ]);
    expect((await read('emails', 'day')).map(({ at, values }) => [at, values.sent])).toEqual([
      ['2026-11-20', 2],
      ['2026-11-21', 4],
    ]);
  });

  test('count nothing twice if the response of the database is lost', async () => {
    let lost = true;
    const unreliable = new Proxy(store, {
      get: (target, name) =>
        name === 'transaction'
          ? () => ({
              async execute(work: Parameters<ReturnType<Store['transaction']>['execute']>[0]) {
                await target.transaction().execute(work);
                if (lost) throw new Error('the connection is lost');
              },
            })
          : Reflect.get(target, name, target),
    });
    const { count, flush } = openCounters(unreliable, () => now);
    count('calls', 'asked');
    await expect(flush()).rejects.toThrow('lost');
    count('calls', 'asked');
    lost = false;
    await flush();
    await flush();
    expect(await read('calls')).toMatchObject([{ values: { asked: 2 } }]);
  });

  test('describe response times by ranges', async () => {
    const { count, flush } = openCounters(store, () => now);
    for (const range of ['5', '5', '10', '250']) count('response_times', range);
    await flush();
    expect(await read('response_times')).toMatchObject([{ values: { requests: 4, p50: 5, p99: 250 } }]);
  });

  test('describe the devices of complete hours and the most of a day, also if a node has died', async () => {
    const nodes = [openCounters(store, () => now), openCounters(store, () => now)] as const;
    const [one, other] = nodes;
    one.count('devices', 'online', 30);
    other.count('devices', 'online', 20);
    other.count('devices', 'alarms', 3);
    await Promise.all(nodes.map(({ flush }) => flush()));
    now += hours(1);
    // It dies before it has written them, and the other hears its devices in the next hour.
    one.count('devices', 'online', 30);
    other.count('devices', 'online', 20);
    await other.flush();
    expect(await read('devices')).toEqual([
      { series: 'devices', at: '2026-11-21T12:00:00.000Z', values: { online: 50, alarms: 3 } },
    ]);
    now += hours(1);
    other.count('devices', 'online', 49);
    await other.flush();
    now += hours(1);
    expect((await read('devices')).map(({ values }) => values.online)).toEqual([50, 20, 49]);
    expect(await read('devices', 'day')).toMatchObject([{ values: { online: 50, alarms: 3 } }]);
  });

  test('keep the loudest networks of each hour, however many strangers come from', async () => {
    now = noon + days(10);
    const nodes = [openCounters(store, () => now), openCounters(store, () => now)] as const;
    const refuse = async (node: (typeof nodes)[number], refused: Readonly<Record<string, number>>) => {
      for (const [network, count] of Object.entries(refused)) node.count('refused_from', network, count);
      await node.flush();
    };
    await refuse(nodes[0], { a: 500, b: 4, c: 5, d: 6, e: 7, f: 8, rare: 2 });
    for (let at = 0; at < 1500; at += 1) nodes[1].count('refused_from', `network ${at}`);
    nodes[1].count('emails', 'sent');
    await refuse(nodes[1], { a: 400, g: 90 });
    const kept = async () => Object.keys((await read('refused_from'))[0]?.values ?? {}).join(' ');
    expect(await kept()).toBe('a c d e f');
    await refuse(nodes[1], { a: 400, g: 90 });
    expect((await read('refused_from'))[0]?.values).toMatchObject({ a: 900, g: 90 });
    now += hours(2);
    await cleanUp(store, { now, activityKept: days(90), others: [] });
    expect(await kept()).toBe('a d e f g');
  });
});
