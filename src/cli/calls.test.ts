import { describe, expect, it } from 'vitest';
import { days, minutes, seconds } from '../contract/units.ts';
import { checkArrivals } from '../server/doctor/examine-deliveries.ts';
import { readConfig } from '../server/settings/config.ts';
import type { Store } from '../store/database.ts';
import { countRequest } from '../store/rate-limits.ts';
import { freshStore, usualEngines } from '../testing/databases/databases.ts';
import { callsList } from './calls.ts';

const config = readConfig({ PHONE_CONFIRMATION: 'off' });
const now = Date.UTC(2026, 10, 21, 12);
let count = 0;

interface CallRow {
  readonly phone?: string;
  readonly way?: 'ring' | 'sms' | 'mail';
  readonly provider?: string | null;
  readonly state?: 'placed' | 'failed' | 'confirmed';
  readonly ago: number;
  /** Seconds until the confirmation. */
  readonly took?: number;
}

async function call(store: Store, { phone = '+79261234567', way = 'ring', provider = 'smsru', ...asked }: CallRow) {
  count += 1;
  const at = now - asked.ago;
  await store
    .insertInto('phone_calls')
    .values({
      id: String(count).padStart(22, '0'),
      ...{
        phone,
        way,
        provider,
        proof: null,
        reference: null,
        outbox_id: null,
        attempts_left: 3,
        locale: 'ru' as const,
      },
      state: asked.state ?? (asked.took === undefined ? 'placed' : 'confirmed'),
      created_at: at,
      expires_at: at + minutes(5),
      confirmed_at: asked.took === undefined ? null : at + seconds(asked.took),
      source: null,
      used_at: null,
    })
    .execute();
}

const list = (store: Store, options = {}) =>
  callsList.run({ store, now, config, positionals: [], options, environment: {}, folder: '.' });

describe.each(usualEngines)('vestibule calls, on %s', (engine) => {
  it('shows confirmations and their median time by provider, method and country', async () => {
    const store = await freshStore(engine);
    for (const took of [10, 20, 60]) await call(store, { ago: days(1) / 2, took });
    await call(store, { ago: days(1) / 2 });
    await call(store, { ago: days(1) / 2, provider: null, state: 'failed' });
    await call(store, { ago: days(2), phone: '+491511234567', way: 'sms', provider: 'twilio', took: 7 });
    await call(store, { ago: days(2), way: 'mail', provider: null });
    for (const [units, at] of [
      [8, now - days(1) / 2],
      [1, now],
      [5, now - days(2)],
    ] as const)
      await countRequest(store, [{ key: 'phone-calls', limit: 1000, within: days(1), units }], at);
    const { data, text } = await list(store);
    const smsru = {
      provider: 'smsru',
      way: 'ring',
      country: 'RU',
      asked: 4,
      placed: 4,
      confirmed: 3,
      median_seconds: 20,
    };
    const none = {
      provider: 'none',
      way: 'ring',
      country: 'RU',
      asked: 1,
      placed: 0,
      confirmed: 0,
      median_seconds: null,
    };
    const twilio = {
      provider: 'twilio',
      way: 'sms',
      country: 'DE',
      asked: 1,
      placed: 1,
      confirmed: 1,
      median_seconds: 7,
    };
    const budget = { spent: 9, of: 1000 };
    expect(data).toEqual({ days: 7, calls: [smsru, none, twilio], budget });
    expect(text).toContain('Spent in the last 24 hours: 9 of 1000 units.');
    expect(text).toMatch(/smsru +ring +RU +4 +4 +3 +75 % +20 s/);
    expect(text).not.toContain('+79261234567');
    expect((await list(store, { days: '1' })).data).toEqual({ days: 1, calls: [smsru, none], budget });
  });

  it.each([['0'], ['8'], ['many']])('refuses --days %s', async (asked) => {
    await expect(list(await freshStore(engine), { days: asked })).rejects.toThrow('1 to 7');
  });

  it('makes the doctor warn if the rate of a country halves, given enough calls that have expired or were confirmed', async () => {
    const store = await freshStore(engine);
    const tenOf = async (confirmed: number, more: Omit<CallRow, 'took'>) => {
      for (let at = 0; at < 10; at += 1) await call(store, at < confirmed ? { ...more, took: 5 } : more);
    };
    expect(await checkArrivals(store, now)).toBe('none in the past week');
    await tenOf(8, { ago: days(3) });
    await tenOf(5, { ago: minutes(60) });
    // Another country always had this rate.
    const phone = '+491511234567';
    await tenOf(2, { ago: days(3), phone });
    await tenOf(2, { ago: minutes(60), phone });
    expect(await checkArrivals(store, now)).toBe('40 in the past week');
    // These can still be confirmed.
    await tenOf(0, { ago: minutes(1) });
    expect(await checkArrivals(store, now)).toBe('50 in the past week');
    await tenOf(0, { ago: minutes(30) });
    expect(await checkArrivals(store, now)).toMatchObject({
      code: 'calls_dropped',
      params: { countries: ['RU'] },
      message: expect.stringContaining('RU from 80 % to 25 %'),
    });
  });
});
