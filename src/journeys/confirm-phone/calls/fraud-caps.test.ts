import { describe, expect, test } from 'vitest';
import { days, minutes } from '../../../contract/units.ts';
import { statusAndCode, untilServed } from '../../../testing/client.ts';
import { engines, usualEngines } from '../../../testing/databases/databases.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

let addresses = 0;
/** Each client is in another network. */
const anyone = (server: TestServer) => {
  addresses += 1;
  return server.client({ ip: `100.${64 + (addresses >>> 8)}.${addresses & 255}.7` });
};
let numbers = 0;
/** Numbers of many ranges in one country. */
const anyPhone = () => {
  numbers += 1;
  return `+491511${String(numbers).padStart(3, '0')}1234`;
};
const inRange = (at: number) => `+491512345${String(1000 + at)}`;

const careful = { PHONE_CONFIRMATION: 'required', CALLS_PER_PREFIX: '', CALLS_PER_COUNTRY: '', CALLS_PER_NETWORK: '' };
const ask = (server: TestServer, phone: string, browser = anyone(server)) =>
  browser.post('/auth/phone/call', { phone, locale: 'de' });

async function placedOf(server: TestServer, phones: readonly string[]): Promise<number> {
  let placed = 0;
  for (const phone of phones) if (statusAndCode(await ask(server, phone)) === '201') placed += 1;
  return placed;
}
const many = (count: number, phone: (at: number) => string = anyPhone) =>
  Array.from({ length: count }, (_, at) => phone(at));

async function confirm(server: TestServer, phone: string, browser = anyone(server)) {
  const { body } = await ask(server, phone, browser);
  const digits = (await server.calls()).find(({ to }) => to === phone)?.from.slice(-4);
  expect(await browser.post('/auth/phone/confirm', { call: body.call, digits })).toSay('200');
}

describe.each(usualEngines)('unconfirmed calls, on %s', (engine) => {
  test('at most ten a day go to one range, and twenty a week', async () => {
    const server = await openTestServer(engine, { ...careful, CALL_COUNTRIES: 'DE' });
    expect(await placedOf(server, many(15, inRange))).toBe(10);
    expect(await placedOf(server, many(1))).toBe(1);
    server.forward(days(1));
    expect(await placedOf(server, many(15, inRange))).toBe(10);
    server.forward(days(1));
    expect(await placedOf(server, many(15, inRange))).toBe(0);
    server.forward(days(6));
    expect(await placedOf(server, many(15, inRange))).toBe(10);
  });

  test('at most thirty a day go to a country that the operator does not name, sixty to all of them, and more to a named one', async () => {
    const server = await openTestServer(engine, careful);
    expect(await placedOf(server, many(35))).toBe(30);
    expect(
      await placedOf(
        server,
        many(35, (at) => `+33612${100 + at}345`),
      ),
    ).toBe(30);
    expect(await placedOf(server, ['+39 347 123 4567'])).toBe(0);
    const refused = await ask(server, anyPhone());
    expect(refused.body).toMatchObject({ code: 'too_many_calls', ways: ['reverse'] });
    const named = await openTestServer(engine, { ...careful, CALL_COUNTRIES: 'DE' });
    expect(await placedOf(named, many(35))).toBe(35);
  });

  test('at most twenty a day come from one network', async () => {
    const server = await openTestServer(engine, { ...careful, CALL_COUNTRIES: 'DE' });
    let placed = 0;
    for (let at = 0; at < 25; at += 1) {
      const browser = server.client({ ip: `198.51.100.${at + 1}` });
      if (statusAndCode(await ask(server, anyPhone(), browser)) === '201') placed += 1;
    }
    expect(placed).toBe(20);
  });

  test('one network gets half of what a range allows, and networks without calls there keep a part', async () => {
    const server = await openTestServer(engine, { ...careful, CALL_COUNTRIES: 'DE' });
    let to = 0;
    const placedFrom = async (network: string) => {
      let placed = 0;
      for (let host = 1; host <= 9; host += 1) {
        to += 1;
        const browser = server.client({ ip: `${network}.${host}` });
        if (statusAndCode(await ask(server, inRange(to), browser)) === '201') placed += 1;
      }
      return placed;
    };
    expect(await placedFrom('198.51.100')).toBe(5);
    expect(await placedFrom('203.0.113')).toBe(3);
    expect(
      await placedOf(
        server,
        many(4, (at) => inRange(100 + at)),
      ),
    ).toBe(2);
  });

  test('each confirmed number allows four more, but only once a day', async () => {
    const server = await openTestServer(engine, { ...careful, CALLS_PER_COUNTRY: '2' });
    const [browser, phone] = [anyone(server), anyPhone()];
    await confirm(server, phone, browser);
    server.forward(minutes(2));
    await confirm(server, phone, browser);
    expect(await placedOf(server, many(8))).toBe(4);
  });

  test('that a provider clearly refuses do not count', async () => {
    const server = await openTestServer(engine, {
      ...careful,
      CALL_COUNTRIES: 'DE',
      CALL_PROVIDERS: 'webhook',
      WEBHOOK_CALL_URL: 'http://127.0.0.1:1/',
      WEBHOOK_CALL_SECRET: 'a secret of the operator',
    });
    const responses = new Set<string>();
    for (const phone of many(12, inRange)) responses.add(statusAndCode(await ask(server, phone)));
    expect([...responses]).toEqual(['503 call_failed']);
  });

  test('wrong digits of all sources count together: eighteen a day for a number', async () => {
    const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'required' });
    const phone = anyPhone();
    let wrong = 0;
    for (let caller = 0; caller < 8; caller += 1) {
      const browser = anyone(server);
      const { call } = (await ask(server, phone, browser)).body;
      for (let guess = 0; call && guess < 3; guess += 1) {
        const refused = statusAndCode(await browser.post('/auth/phone/confirm', { call, digits: '0000' }));
        if (refused === '422 digits_incorrect') wrong += 1;
      }
      server.forward(minutes(21));
    }
    expect(wrong).toBe(18);
  });
});

describe.each(engines)('unconfirmed calls of several nodes, on %s,', (engine) => {
  test('concurrent requests on two nodes do not exceed the cap of a range', async () => {
    const server = await openTestServer(engine, { ...careful, CALL_COUNTRIES: 'DE' });
    const other = engine === 'postgres' ? await server.otherNode() : server;
    const responses = await Promise.all(
      many(24, inRange).map((phone, at) => untilServed(() => ask(at % 2 ? server : other, phone))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
  });
});
