import { describe, expect, test } from 'vitest';
import { rateLimitOrigin } from '../http/incoming/visitor.ts';
import { type FairGate, type GateRequest, openFairGate } from './fair-gate.ts';
import type { Lane } from './lanes.ts';

/** Work that runs until the test calls `end`. */
function held() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, work: () => done };
}

const from = (ip: string) => rateLimitOrigin(ip);
const someone = from('192.0.2.250');

/** Queues places one after another while the gate is occupied, and returns the order of their admission. */
async function orderOf(
  gate: FairGate,
  places: readonly (readonly [name: string, place: GateRequest])[],
): Promise<string[]> {
  const first = held();
  const order: string[] = [];
  const running = gate.run({ from: someone, lane: 'usual' }, first.work);
  const waiting = places.map(([name, place]) =>
    gate
      .run(place, async () => {
        order.push(name);
      })
      .catch(() => undefined),
  );
  first.end();
  await Promise.all([running, ...waiting]);
  return order;
}

describe('the fair gate', () => {
  const one = () => openFairGate({ inside: 1 });
  const usual = (ip: string): GateRequest => ({ from: from(ip), lane: 'usual' });

  test('admits the least-served source first, and of equals the one with fewer requests', async () => {
    const flood = usual('192.0.2.1');
    const person = usual('192.0.2.2');
    const order = await orderOf(one(), [
      ['flood', flood],
      ['flood', flood],
      ['flood', flood],
      ['person', person],
    ]);
    expect(order).toEqual(['person', 'flood', 'flood', 'flood']);
  });

  test('gives each lane its share when all have queues, so no lane starves another', async () => {
    const many = (lane: Lane) =>
      Array.from({ length: 16 }, (_, at) => [lane, { from: from(`198.51.${lane.length}.${at}`), lane }] as const);
    const order = await orderOf(one(), [...many('known'), ...many('usual'), ...many('late')]);
    const share = (lane: string) => order.slice(0, 16).filter((name) => name === lane).length;
    expect([share('known'), share('usual'), share('late')]).toEqual([8, 6, 2]);
  });

  test('runs one request per account at a time, and those of other accounts meanwhile', async () => {
    const gate = openFairGate({ inside: 3 });
    const mine = { lane: 'known', alone: 'account' } as const;
    const [first, second, other] = [held(), held(), held()];
    const begun: string[] = [];
    const begin = (name: string, work: () => Promise<void>) => async () => {
      begun.push(name);
      await work();
    };
    const all = [
      gate.run({ from: from('192.0.2.1'), ...mine }, begin('first', first.work)),
      gate.run({ from: from('192.0.2.2'), ...mine }, begin('second', second.work)),
      gate.run(usual('192.0.2.3'), begin('other', other.work)),
    ];
    await new Promise(setImmediate);
    expect(begun).toEqual(['first', 'other']);
    first.end();
    await all[0];
    await new Promise(setImmediate);
    expect(begun).toEqual(['first', 'other', 'second']);
    second.end();
    other.end();
    await Promise.all(all);
  });

  test('refuses a source with too many waiting requests before any work', async () => {
    const order = await orderOf(openFairGate({ inside: 1, perSource: 2 }), [
      ['a', usual('192.0.2.1')],
      ['a', usual('192.0.2.1')],
      ['a', usual('192.0.2.1')],
      ['b', usual('192.0.2.2')],
    ]);
    expect(order).toEqual(['b', 'a', 'a']);
  });

  test('makes room for a newcomer in a full lane: the source with the most waiting requests loses one', async () => {
    const order = await orderOf(openFairGate({ inside: 1, perLane: 3 }), [
      ['flood', usual('192.0.2.1')],
      ['flood', usual('192.0.2.1')],
      ['flood', usual('192.0.2.1')],
      ['person', usual('192.0.2.2')],
      ['owner', { from: from('192.0.2.3'), lane: 'known' }],
    ]);
    expect(order.toSorted()).toEqual(['flood', 'flood', 'owner', 'person']);
  });

  test('counts the /64s of a network together, and spellings of an address as one', async () => {
    const network = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:400::1'];
    const gate = one();
    for (const ip of network) for (let time = 0; time < 9; time += 1) await gate.run(usual(ip), async () => undefined);
    const order = await orderOf(gate, [
      ['network', usual('2001:db8:1:9999::1')],
      ['person', usual('2001:db8:2::1')],
    ]);
    expect(order).toEqual(['person', 'network']);
  });

  test('refuses a request that has waited too long', async () => {
    let time = 0;
    const gate = openFairGate({ inside: 1, now: () => time });
    const first = held();
    const running = gate.run({ from: someone, lane: 'usual' }, first.work);
    const waiting = gate.run(usual('192.0.2.1'), async () => 'in');
    time = 10_001;
    first.end();
    await running;
    await expect(waiting).rejects.toMatchObject({ code: 'try_again_later' });
  });

  test('refuses a browser that can solve a task sooner, and gives one that did the same share as known devices', async () => {
    let time = 0;
    const gate = openFairGate({ inside: 1, now: () => time });
    const first = held();
    const running = gate.run({ from: someone, lane: 'usual' }, first.work);
    const ready = { ...from('192.0.2.1'), work: 'ready' } as const;
    const done = { ...from('192.0.2.2'), work: 'done' } as const;
    const usual = gate.run({ from: ready }, async () => 'usual');
    const known = gate.run({ from: ready, lane: 'known' }, async () => 'known');
    const proven = gate.run({ from: done }, async () => 'proven');
    expect(gate.state().waiting).toEqual({ known: 1, proven: 1, usual: 1, late: 0 });
    time = 301;
    first.end();
    await running;
    await expect(usual).rejects.toMatchObject({ code: 'try_again_later', detail: { isCrowded: true } });
    expect(await Promise.all([known, proven])).toEqual(['known', 'proven']);
  });

  test('admits the next request after work that failed', async () => {
    const gate = one();
    await expect(gate.run(usual('192.0.2.1'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.run(usual('192.0.2.1'), async () => 'yes')).resolves.toBe('yes');
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('the source of %s is %s', (ip, source) => expect(rateLimitOrigin(ip).source).toBe(source));
