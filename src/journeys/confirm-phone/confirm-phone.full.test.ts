import { describe, expect, test } from 'vitest';
import { type Client, statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

let numbers = 1000;

/** A new number for each call, so that tests do not share rate limits. */
const anyPhone = () => {
  numbers += 1;
  return `+4915112${String(numbers).padStart(6, '0')}`;
};

let addresses = 0;

const anyone = (testServer: TestServer): Client => {
  addresses += 1;
  return testServer.client({ ip: `203.${addresses >>> 8}.${addresses & 255}.7` });
};

const ask = (browser: Client, phone: string, more: object = {}) =>
  browser.post('/auth/phone/call', { phone, locale: 'de', ...more });

describe.each(usualEngines)('confirming a phone, on %s', (engine) => {
  test('an address has the hourly limit that the operator sets, and the network around it has one as well', async () => {
    const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', CALLS_PER_ADDRESS: '5' });
    const countFrom = async (address: (time: number) => string) => {
      for (let time = 0; ; time += 1) {
        if (statusAndCode(await ask(testServer.client({ ip: address(time) }), anyPhone())) !== '201') return time;
      }
    };
    expect(await countFrom(() => '198.51.100.7')).toBe(5);
    expect(await countFrom((time) => `2001:db8:1:${time}::1`)).toBe(10);
    expect(await countFrom((time) => `2001:db8:1:1${time.toString().padStart(2, '0')}::1`)).toBe(10);
    expect(await countFrom((time) => `2001:db8:2:${time}00::1`)).toBe(40);
    expect(await countFrom((time) => `192.0.2.${time}`)).toBe(40);
  });

  test('a few sources cannot use up the daily budget, and the email does not depend on it', async () => {
    const testServer = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      PHONE_CONFIRMATION_BY_MAIL: 'on',
      CALLS_PER_DAY: '40',
    });
    for (let network = 1; network <= 8; network += 1) {
      const browser = testServer.client({ ip: `2001:db8:${network}:1::1` });
      for (let time = 0; time < 10; time += 1) await ask(browser, anyPhone());
      expect(statusAndCode(await ask(browser, anyPhone()))).toBe('429 too_many_calls');
      const email = `network${network}@example.com`;
      expect((await browser.post('/auth/phone/mail', { phone: anyPhone(), email, locale: 'de' })).status).toBe(201);
    }
    expect(statusAndCode(await ask(anyone(testServer), anyPhone()))).toBe('201');
  });
});
