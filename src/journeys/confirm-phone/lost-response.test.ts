import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { randomSecret } from '../../security/macs.ts';
import { startCallServer } from '../../testing/call-server.ts';
import { statusAndCode, untilServed } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { anyone, anyPhone, digitsTo } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('a repeated request after a lost response, on %s', async (engine) => {
  const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });
  async function asking(more: object = {}) {
    const browser = anyone(testServer);
    const wish = { phone: anyPhone(), locale: 'de', attempt: randomSecret(128), ...more };
    const again = (other: object = {}, from = browser) => from.post('/auth/phone/call', { ...wish, ...other });
    const callsPlaced = async () => (await testServer.calls()).filter(({ to }) => to === wish.phone);
    return { server: testServer, browser, wish, lost: await again(), again, callsPlaced };
  }

  test('gets the same call with its remaining time, and its digits confirm the number', async () => {
    const { server: testServer, browser, wish, lost, again, callsPlaced } = await asking();
    testServer.forward(seconds(20));
    const { call } = lost.body;
    const { status, body } = await again();
    expect({ status, ...body }).toMatchObject({ status: 201, call, digits: 4, attempts_left: 3 });
    expect(body.expires_in).toBeLessThanOrEqual(280);
    expect(body.resend_in).toBeLessThanOrEqual(40);
    expect(await callsPlaced()).toHaveLength(1);
    const digits = await digitsTo(testServer, wish.phone);
    expect((await browser.post('/auth/phone/confirm', { call, digits })).body).toMatchObject({ phone: wish.phone });
  });

  test('gets the remaining tries after a wrong one', async () => {
    const { server: testServer, browser, lost, again, callsPlaced } = await asking();
    const digits = String((await callsPlaced())[0]?.from).endsWith('1111') ? '2222' : '1111';
    await browser.post('/auth/phone/confirm', { call: lost.body.call, digits });
    testServer.forward(minutes(2));
    expect((await again()).body).toMatchObject({ call: lost.body.call, resend_in: 0, attempts_left: 2 });
  });

  test('gets the same number to call', async () => {
    const { lost, again } = await asking({ way: 'reverse' });
    const { call, number } = lost.body;
    expect(number).toBe('+12025550199');
    // Its remaining seconds become fewer.
    expect((await again()).body).toMatchObject({ call, number });
  });

  test('gets the same call from another network, such as on a train', async () => {
    const { server: testServer, lost, again } = await asking();
    expect((await again({}, anyone(testServer))).body.call).toBe(lost.body.call);
  });

  test('does not count toward any limit', async () => {
    const { server: testServer, again } = await asking();
    for (let time = 0; time < 12; time += 1) expect(await again()).toSay('201');
    for (const attempt of [randomSecret(128), randomSecret(128)]) {
      testServer.forward(seconds(61));
      expect(await again({ attempt })).toSay('201');
    }
    testServer.forward(seconds(61));
    expect(await again({ attempt: randomSecret(128) })).toSay('429 too_many_calls');
  });

  test.each([
    ['no attempt', { attempt: undefined }],
    ['another attempt', { attempt: randomSecret(128) }],
  ])('does not get the call if it sends %s', async (_what, other) => {
    const { again } = await asking();
    expect(await again(other)).toSay('429 too_many_calls');
  });

  test.each([
    ['way', { way: 'voice' }],
    ['number', { phone: anyPhone() }],
  ])('gets another call if it has another %s', async (_what, other) => {
    const { lost, again } = await asking();
    const { status, body } = await again(other);
    expect(status).toBe(201);
    expect(body.call).not.toBe(lost.body.call);
  });

  test('gets another call once the five minutes of the first are over', async () => {
    const { server: testServer, lost, again, callsPlaced } = await asking();
    testServer.forward(minutes(5));
    const { status, body } = await again();
    expect(status).toBe(201);
    expect(body.call).not.toBe(lost.body.call);
    expect(await callsPlaced()).toHaveLength(2);
  });

  describe('while the request to the provider is pending', () => {
    /** The state before a provider responds; it persists if the process ends meanwhile. */
    async function underWay(way: string) {
      const asked = await asking({ way });
      await asked.server.store
        .updateTable('phone_calls')
        .set({ state: 'calling', number: null })
        .where('id', '=', asked.lost.body.call)
        .execute();
      return asked;
    }

    test('gets the same call, whose status the page polls', async () => {
      const { browser, lost, again } = await underWay('ring');
      expect((await again()).body.call).toBe(lost.body.call);
      expect((await browser.get(`/auth/phone/call/${lost.body.call}`)).body).toEqual({ state: 'calling' });
    });

    test('has to retry in a moment if the number to call is still unknown', async () => {
      const { again } = await underWay('reverse');
      const response = await again();
      expect(response).toSay('503 try_again_later');
      expect(response.headers.get('retry-after')).toBe('2');
    });

    test('gets another call once the pause is over', async () => {
      const { server: testServer, lost, again } = await underWay('ring');
      testServer.forward(seconds(61));
      const { status, body } = await again();
      expect(status).toBe(201);
      expect(body.call).not.toBe(lost.body.call);
    });
  });

  test('places a call if no provider accepted the first one', async () => {
    let refusing = true;
    const server = await startCallServer(() => (refusing ? [422, {}] : [200, {}]));
    const testServer = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'webhook',
      WEBHOOK_CALL_URL: `${server.url}/call`,
      WEBHOOK_CALL_SECRET: 'a secret of the operator',
    });
    const wish = { phone: anyPhone(), locale: 'de', attempt: randomSecret(128) };
    const again = () => anyone(testServer).post('/auth/phone/call', wish);
    expect(await again()).toSay('503 call_failed');
    refusing = false;
    const { status, body } = await again();
    expect(status).toBe(201);
    expect((await again()).body.call).toBe(body.call);
    expect(server.received).toHaveLength(2);
  });

  test('cannot be forged with the contents of the database', async () => {
    const { server: testServer, wish, lost } = await asking();
    const kept = await testServer.store
      .selectFrom('phone_calls')
      .selectAll()
      .where('id', '=', lost.body.call)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(kept)).not.toContain(wish.attempt);
  });

  test('for a link sends one email, even for ten concurrent requests, but another email to another address', async () => {
    const browser = anyone(testServer);
    const phone = anyPhone();
    const attempt = randomSecret(128);
    const address = (who: string) => `${who}${phone.slice(-6)}@example.com`;
    const askLink = (email: string) => browser.post('/auth/phone/mail', { phone, email, locale: 'en', attempt });
    const responses = await Promise.all(Array.from({ length: 10 }, () => untilServed(() => askLink(address('lost')))));
    expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['201']));
    expect(new Set(responses.map(({ body }) => body.call)).size).toBe(1);
    const emails = testServer.store.selectFrom('outbox').select('id').where('recipient', '=', address('lost'));
    expect(await emails.execute()).toHaveLength(1);
    const { call } = responses[0]?.body ?? {};
    const secret = /hash=([\w-]+)/.exec((await testServer.mailTo(address('lost'))).text)?.[1];
    expect(await browser.post('/auth/phone/mail/confirm', { call, secret })).toSay('200');
    expect((await askLink(address('lost'))).body.call).toBe(call);
    expect((await askLink(address('another'))).body.call).not.toBe(call);
  });
});

describe.each(engines)('parallel repetitions of a call, on %s,', async (engine) => {
  const testServer = await openTestServer(engine, { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });

  test('of twenty concurrent ones, one places a call, and all get that call', async () => {
    const [phone, attempt] = [anyPhone(), randomSecret(128)];
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => {
        const one = anyone(testServer);
        return untilServed(() => one.post('/auth/phone/call', { phone, locale: 'de', attempt }));
      }),
    );
    expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['201']));
    expect(new Set(responses.map(({ body }) => body.call)).size).toBe(1);
    expect((await testServer.calls()).filter(({ to }) => to === phone)).toHaveLength(1);
  });
});
