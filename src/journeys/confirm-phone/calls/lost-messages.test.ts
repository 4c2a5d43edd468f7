import { describe, expect, test } from 'vitest';
import { hours, seconds } from '../../../contract/units.ts';
import { providerRates } from '../../../store/calls/call-outcomes.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { openTestServer } from '../../../testing/test-server.ts';

const sid = `SM${'fedcba9876543210'.repeat(2)}`;

describe.each(usualEngines)('text messages that the provider reports as lost, on %s', (engine) => {
  test('make the page offer other ways, and count in the provider’s confirmation rate before they expire', async () => {
    let status = 'sent';
    const twilio = await startCallServer(({ method }) => [200, method === 'GET' ? { sid, status } : { sid }]);
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'twilio',
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_NUMBERS: '+13035550143,+13035550178',
      TWILIO_SMS_FROM: '+13035550143',
      TWILIO_URL: twilio.url,
    });
    const browser = server.client();
    const wish = { phone: '+4915117000010', locale: 'de', way: 'sms' };
    const { body } = await browser.post('/auth/phone/call', wish);
    const state = async () => (await browser.get(`/auth/phone/call/${body.call}`)).body.state;
    const rates = () =>
      providerRates(server.store, { way: 'sms', country: 'DE', since: server.now() - hours(1), now: server.now() });
    expect(await state()).toBe('placed');
    expect(await rates()).toEqual([]);
    status = 'undelivered';
    server.forward(seconds(16));
    expect(await state()).toBe('failed');
    expect(await rates()).toEqual([{ provider: 'twilio', placed: 1, confirmed: 0 }]);
    // The status is final, and is not queried again.
    const queries = twilio.received.length;
    server.forward(seconds(16));
    expect(await state()).toBe('failed');
    expect(twilio.received).toHaveLength(queries);
    // The digits stay valid: the provider may be wrong.
    const [{ fields } = expect.fail('no message')] = twilio.received;
    const digits = /\d{6}/.exec((fields as { Body: string }).Body)?.[0];
    expect((await browser.post('/auth/phone/confirm', { call: body.call, digits })).status).toBe(200);
  });
});
