import { describe, expect, test } from 'vitest';
import { days, hours, minutes, seconds } from '../../../contract/units.ts';
import type { Engine } from '../../../store/database.ts';
import { type Reply, startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { engines, usualEngines } from '../../../testing/databases/databases.ts';
import { anyone, anyPhone } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

const ask = (server: TestServer, way = 'ring') =>
  anyone(server).post('/auth/phone/call', { phone: anyPhone(), locale: 'de', way });

async function ringsOf(server: TestServer, count: number) {
  const responses: string[] = [];
  for (let time = 0; time < count; time += 1) responses.push(statusAndCode(await ask(server)));
  return responses;
}
const tooLate: Reply = (response) => void setTimeout(() => response.end('{}'), seconds(6)).unref();
const refuses: Reply = [422, {}];

interface Stubs {
  readonly smsru?: (way: string) => Reply;
  readonly webhook?: (way: string) => Reply;
}

/** Two providers: sms.ru rings and sends messages, the webhook supports all of `WEBHOOK_CALL_WAYS`. */
async function serverWith(engine: Engine, stubs: Stubs, settings: Record<string, string>) {
  const ring: Reply = [200, { status: 'OK', code: '4083', call_id: '1' }];
  const smsru = await startCallServer(({ path }) => {
    const way = path.includes('/sms/') ? 'sms' : 'ring';
    return stubs.smsru?.(way) ?? ring;
  });
  const webhook = await startCallServer(({ fields }) => {
    const { way = 'ring' } = fields as { way?: string };
    return stubs.webhook?.(way) ?? [200, {}];
  });
  const server = await openTestServer(engine, {
    PHONE_CONFIRMATION: 'required',
    CALL_PROVIDERS: 'smsru,webhook',
    SMSRU_URL: smsru.url,
    SMSRU_API_ID: 'key',
    WEBHOOK_CALL_URL: webhook.url,
    WEBHOOK_CALL_SECRET: 'a secret of the operator',
    WEBHOOK_CALL_WAYS: 'ring,sms,telegram',
    ...settings,
  });
  return { server, asked: { smsru: smsru.received, webhook: webhook.received } };
}

const spent = async ({ store }: TestServer) => {
  const { units } = await store
    .selectFrom('limit_hits')
    .select(({ fn }) => fn.sum<number | string | null>('units').as('units'))
    .where('key', '=', 'phone-calls')
    .executeTakeFirstOrThrow();
  return Number(units ?? 0);
};

describe.each(usualEngines)('a daily budget by cost, on %s', (engine) => {
  const prices = 'smsru/ring:1,smsru/sms:6,webhook:4,webhook/sms:8';

  test('a call that exceeds the budget is refused, and the response names the ways that are left', async () => {
    const { server } = await serverWith(
      engine,
      {},
      {
        CONFIRMATION_BUDGET_PER_DAY: '10',
        CONFIRMATION_PRICES: prices,
        CONFIRMATION_WAYS: 'ring,sms,telegram',
        PHONE_CONFIRMATION_BY_MAIL: 'on',
      },
    );
    expect(await ask(server, 'telegram')).toSay('201');
    expect(await ask(server)).toSay('201');
    expect(await spent(server)).toBe(5);
    const dear = await ask(server, 'sms');
    expect(dear).toMatchObject({
      status: 429,
      body: { code: 'too_many_calls', minutes: 1440, ways: ['ring', 'telegram', 'mail'] },
    });
    expect(await ringsOf(server, 5)).toEqual(['201', '201', '201', '201', '201']);
    expect((await ask(server)).body).toMatchObject({ code: 'too_many_calls', ways: ['mail'] });
    server.forward(days(1));
    expect(await ask(server)).toSay('201');
  });

  test('repeated requests leave a fifth for sources without calls', async () => {
    const { server } = await serverWith(
      engine,
      {},
      { CONFIRMATION_BUDGET_PER_DAY: '40', CONFIRMATION_PRICES: 'smsru:4' },
    );
    const same = Array.from({ length: 4 }, () => anyone(server));
    for (let time = 0; time < 3; time += 1)
      for (const one of same) await one.post('/auth/phone/call', { phone: anyPhone(), locale: 'de' });
    expect(await spent(server)).toBe(32);
    expect(await ask(server)).toSay('201');
  });

  test('a clear refusal is refunded, silence is not', async () => {
    const { server, asked } = await serverWith(
      engine,
      { smsru: () => [200, { status: 'ERROR', status_code: 207 }] },
      { CONFIRMATION_BUDGET_PER_DAY: '10', CONFIRMATION_PRICES: prices },
    );
    expect(await ask(server)).toSay('201');
    expect(await spent(server)).toBe(4);
    expect([asked.smsru.length, asked.webhook.length]).toEqual([1, 1]);

    const silent = await serverWith(
      engine,
      { smsru: () => tooLate },
      { CONFIRMATION_BUDGET_PER_DAY: '10', CONFIRMATION_PRICES: prices },
    );
    expect(await ask(silent.server)).toSay('201');
    expect(await spent(silent.server)).toBe(5);
  });

  test('a provider that exceeds the budget is skipped for a cheaper one', async () => {
    const { server, asked } = await serverWith(
      engine,
      {},
      { CONFIRMATION_BUDGET_PER_DAY: '10', CONFIRMATION_PRICES: 'smsru:8,webhook:2' },
    );
    expect(await ringsOf(server, 1)).toEqual(['201']);
    expect(await ringsOf(server, 1)).toEqual(['201']);
    expect([asked.smsru.length, asked.webhook.length]).toEqual([1, 1]);
    expect(await ask(server)).toSay('429 too_many_calls');
  });

  test('a free way works without a budget', async () => {
    const { server } = await serverWith(engine, {}, { CALLS_PER_DAY: '1', CONFIRMATION_PRICES: 'webhook/telegram:0' });
    expect(await ringsOf(server, 2)).toContain('429 too_many_calls');
    for (let time = 0; time < 3; time += 1) expect(await ask(server, 'telegram')).toSay('201');
  });

  test('a refusal does not affect the pending call', async () => {
    const { server } = await serverWith(
      engine,
      {},
      { CONFIRMATION_BUDGET_PER_DAY: '8', CONFIRMATION_PRICES: 'smsru/sms:8,webhook/sms:8' },
    );
    const browser = anyone(server);
    const phone = anyPhone();
    const call = (way: string) => browser.post('/auth/phone/call', { phone, locale: 'de', way });
    const { body } = await call('ring');
    expect(await call('sms')).toSay('429 too_many_calls');
    const confirm = await browser.post('/auth/phone/confirm', { call: body.call, digits: '4083' });
    expect(confirm).toSay('200');
  });
});

describe.each(engines)('the budget of several nodes, on %s,', (engine) => {
  test('concurrent visitors on several nodes never overspend it', async () => {
    const { server } = await serverWith(
      engine,
      {},
      { CONFIRMATION_BUDGET_PER_DAY: '9', CONFIRMATION_PRICES: 'smsru:2,webhook:2' },
    );
    const other = engine === 'postgres' ? await server.otherNode() : server;
    const responses = (await Promise.all([server, other, server, other].map((node) => ringsOf(node, 2)))).flat();
    const four = (response: string) => [response, response, response, response];
    expect(responses.toSorted()).toEqual([...four('201'), ...four('429 too_many_calls')]);
    expect(await spent(server)).toBe(8);
  });
});

describe.each(usualEngines)('the order of providers, on %s', (engine) => {
  test('a provider without confirmed calls comes after one with confirmed calls', async () => {
    let isFixed = false;
    const { server, asked } = await serverWith(engine, { smsru: () => (isFixed ? undefined : refuses) as Reply }, {});
    for (let time = 0; time < 12; time += 1) {
      const browser = anyone(server);
      const { body } = await browser.post('/auth/phone/call', { phone: anyPhone(), locale: 'de' });
      const [{ fields } = expect.fail('no request')] = asked.webhook.slice(-1);
      const { code } = fields as { code: string };
      expect(await browser.post('/auth/phone/confirm', { call: body.call, digits: code })).toSay('200');
    }
    isFixed = true;
    expect(new Set(await ringsOf(server, 20))).toEqual(new Set(['201']));
    server.forward(minutes(6));
    const before = asked.webhook.length;
    await ringsOf(server, 20);
    expect(asked.webhook.length - before).toBeGreaterThan(8);
    // Old rates no longer count.
    server.forward(hours(7));
    const late = asked.smsru.length;
    await ringsOf(server, 5);
    expect(asked.smsru.length - late).toBe(5);
  });
});
