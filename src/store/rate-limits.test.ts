import { beforeEach, describe, expect, test } from 'vitest';
import { hours, minutes } from '../contract/units.ts';
import { engines, freshStore } from '../testing/databases/databases.ts';
import { markLost, providerRates } from './calls/call-outcomes.ts';
import { beginCall, callWasPlaced, confirmCall } from './calls/phone-calls.ts';
import { countRequest, type RateLimit, rateLimitsFreeAt, refundHits } from './rate-limits.ts';

const now = Date.UTC(2026, 10, 21);
const budget = (units?: number): RateLimit => ({ key: 'budget', limit: 10, within: hours(1), ...(units && { units }) });

describe.each(engines)('a limit in units, on %s', async (engine) => {
  const store = await freshStore(engine);
  beforeEach(() => store.deleteFrom('limit_hits').execute());

  test('accepts requests that still fit, and returns when more will', async () => {
    for (const [after, units, state] of [
      [0, 4, 'counted'],
      [1, 3, 'counted'],
      [2, 4, 'refused'],
      [3, 3, 'counted'],
      [4, 1, 'refused'],
    ] as const)
      expect(await countRequest(store, [budget(units)], now + minutes(after))).toMatchObject({ state });
    const freeFor = (units: number) => rateLimitsFreeAt(store, [budget(units)], now + minutes(5));
    expect(await freeFor(1)).toBe(now + hours(1));
    expect(await freeFor(4)).toBe(now + hours(1));
    expect(await freeFor(5)).toBe(now + minutes(1) + hours(1));
    expect(await freeFor(10)).toBe(now + minutes(3) + hours(1));
  });

  test('never accepts a request larger than the whole limit', async () =>
    expect(await countRequest(store, [budget(11)], now)).toEqual({ state: 'refused', freeAt: now + hours(1) }));

  test('holds for parallel requests, and refunded units can be used again', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => countRequest(store, [budget(3)], now)));
    const counted = all.flatMap((one) => (one.state === 'counted' ? [one] : []));
    expect(counted).toHaveLength(3);
    await refundHits(store, counted[0]?.hits ?? []);
    expect(await countRequest(store, [budget(4)], now)).toMatchObject({ state: 'counted' });
    expect(await countRequest(store, [budget()], now)).toMatchObject({ state: 'refused' });
  });
});

describe.each(engines)('confirmation rates by provider, on %s', (engine) => {
  test('cover one way, one country and a period, once a call is confirmed or over', async () => {
    const store = await freshStore(engine);
    let calls = 0;
    const usual = { country: 'DE', way: 'ring', at: now, confirmed: false, lost: false };
    async function place(provider: string | null, changes: Partial<typeof usual>): Promise<void> {
      calls += 1;
      const id = `call${calls}`;
      const { country, way, at, confirmed, lost } = { ...usual, ...changes };
      const unknown = { proof: null, attempt: null, browser: null, digits: null };
      const times = { created_at: at, expires_at: at + minutes(5) };
      const call = {
        id,
        phone: `+491511${calls}`,
        country,
        way: way as 'ring',
        attempts_left: 3,
        locale: 'de',
      } as const;
      await store.transaction().execute((trx) => beginCall(trx, { ...call, ...unknown, ...times, source: 's' }));
      const placed = { proof: null, reference: null, charge: null, number: null, digits: 4 };
      if (provider) await callWasPlaced(store, { id, provider, ...placed });
      if (lost) await markLost(store, { id, now: at });
      if (confirmed) await confirmCall(store, { id, proof: 'proof', now: at });
    }
    await place('first', { confirmed: true });
    await place('first', {});
    await place('second', { at: now + minutes(20) });
    await place('second', { at: now + minutes(20), confirmed: true });
    await place('first', { country: 'FR' });
    await place('first', { way: 'sms' });
    await place('first', { at: now - hours(7) });
    await place(null, {});
    const asked = { way: 'ring', country: 'DE', since: now - hours(6) } as const;
    const sorted = async (at: number) =>
      (await providerRates(store, { ...asked, now: at })).toSorted((one, other) =>
        one.provider > other.provider ? 1 : -1,
      );
    expect(await sorted(now + minutes(21))).toEqual([
      { provider: 'first', placed: 2, confirmed: 1 },
      { provider: 'second', placed: 1, confirmed: 1 },
    ]);
    expect(await sorted(now + minutes(25))).toEqual([
      { provider: 'first', placed: 2, confirmed: 1 },
      { provider: 'second', placed: 2, confirmed: 1 },
    ]);
    // A call that the provider reports as lost counts before it expires.
    await place('third', { at: now + minutes(20), lost: true });
    await place('third', { at: now + minutes(20) });
    expect((await sorted(now + minutes(21))).at(-1)).toEqual({ provider: 'third', placed: 1, confirmed: 0 });
  });
});
