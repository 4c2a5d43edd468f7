import { describe, expect, test } from 'vitest';
import { type Reply, startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { openTestServer } from '../../../testing/test-server.ts';

const accepted: Reply = [200, { messaging_product: 'whatsapp', messages: [{ id: 'wamid.one' }] }];
const undeliverable: Reply = [
  400,
  { error: { message: 'Message undeliverable', type: 'OAuthException', code: 131026 } },
];

describe.each(usualEngines)('digits by WhatsApp, on %s', (engine) => {
  async function serverWith(reply: () => Reply) {
    const api = await startCallServer(reply);
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'whatsapp',
      WHATSAPP_TOKEN: 'token',
      WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
      WHATSAPP_TEMPLATE: 'confirmation_code',
      WHATSAPP_LANGUAGES: 'en_US,de',
      WHATSAPP_URL: api.url,
    });
    return { server, api };
  }
  const wish = { phone: '+4915115000001', locale: 'de', way: 'whatsapp' };

  test('six digits in the user’s language confirm the number', async () => {
    const { server, api } = await serverWith(() => accepted);
    const browser = server.client();
    const { status, body } = await browser.post('/auth/phone/call', wish);
    expect({ status, digits: body.digits }).toEqual({ status: 201, digits: 6 });
    const [{ fields } = expect.fail('no request')] = api.received;
    const { template } = fields as { template: { components: { parameters: { text: string }[] }[] } };
    expect(template).toMatchObject({ name: 'confirmation_code', language: { code: 'de' } });
    const digits = template.components[0]?.parameters[0]?.text;
    expect(digits).toMatch(/^\d{6}$/);
    const confirmed = await browser.post('/auth/phone/confirm', { call: body.call, digits });
    expect(confirmed).toMatchObject({ status: 200, body: { phone: wish.phone } });
  });

  test('a refusal does not name other methods, and does not use up the number’s messages', async () => {
    const { server } = await serverWith(() => undeliverable);
    for (let time = 0; time < 4; time += 1) {
      const refused = await server.client().post('/auth/phone/call', wish);
      expect(statusAndCode(refused)).toBe('503 call_failed');
      expect(refused.body.ways).toEqual([]);
    }
  });

  test('a landline cannot get it', async () => {
    const { server, api } = await serverWith(() => accepted);
    const refused = await server.client().post('/auth/phone/call', { ...wish, phone: '+493012345678' });
    expect(statusAndCode(refused)).toBe('503 call_failed');
    expect(api.received).toEqual([]);
  });
});
