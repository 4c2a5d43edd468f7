import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon } from '../../testing/provider-tests.ts';
import { whatsapp } from './whatsapp.ts';

const secret = 'EAAJBa-secret-of-the-operator-0123456';
const open = (url: string) =>
  whatsapp.open({
    WHATSAPP_TOKEN: secret,
    WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
    WHATSAPP_TEMPLATE: 'confirmation_code',
    WHATSAPP_LANGUAGES: ['en_US', 'de', 'pt_BR'],
    WHATSAPP_URL: `${url}/v23.0`,
  });
const accepted: Reply = [
  200,
  {
    messaging_product: 'whatsapp',
    contacts: [{ input: '79261234567', wa_id: '79261234567' }],
    messages: [{ id: 'wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI3MTE5MjVBOTE3MDk5QUVFM0YA', message_status: 'accepted' }],
  },
];
const failed = (code: number, status = 400): Reply => [
  status,
  {
    error: {
      message: `(#${code}) Refused +79261234567 4083 ${secret}`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: 'Details' },
      fbtrace_id: 'AyqeQG4VGr2eh0EHQaUpQyV',
    },
  },
];
const parameters = [{ type: 'text', text: '4083' }];

describe('WhatsApp', () => {
  it('sends the code in the body and the button of the template', async () => {
    const server = await startCallServer(() => accepted);
    expect(await open(server.url).whatsapp(call, soon())).toEqual({ kind: 'ours' });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/v23.0/106540352242922/messages',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      },
    ]);
    expect(server.received[0]?.fields).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '79261234567',
      type: 'template',
      template: {
        name: 'confirmation_code',
        language: { code: 'de' },
        components: [
          { type: 'body', parameters },
          { type: 'button', sub_type: 'url', index: '0', parameters },
        ],
      },
    });
  });

  it.each([
    ['de', 'de'],
    ['pt', 'pt_BR'],
    ['en', 'en_US'],
    ['ru', 'en_US'],
  ] as const)('a user who reads %s gets the template in %s', async (locale, code) => {
    const server = await startCallServer(() => accepted);
    await open(server.url).whatsapp({ ...call, locale }, soon());
    expect(server.received[0]?.fields).toMatchObject({ template: { language: { code } } });
  });

  it.each<[Reply, string, number]>([
    [failed(190, 401), 'credentials', 0],
    [failed(200, 403), 'credentials', 0],
    [failed(131031, 403), 'credentials', 0],
    [failed(131042), 'balance', 0],
    [failed(130429, 429), 'rate', 0],
    [failed(131056), 'rate', 0],
    [failed(131026), 'rejected', 0],
    [failed(130497, 403), 'rejected', 0],
    [failed(132001, 404), 'unavailable', 0],
    [failed(131000, 500), 'unavailable', 1],
    [[200, { messages: [] }], 'unavailable', 1],
    [[502, '<html>'], 'unavailable', 1],
  ])('%j is %s', async (reply, reason, mayRing) => {
    const server = await startCallServer(() => reply);
    const refused = await refusalOf(open(server.url).whatsapp(call, soon()), [secret]);
    expect({ reason: refused.reason, mayRing: refused.mayRing }).toEqual({ reason, mayRing });
    expect(server.received).toHaveLength(1);
  });

  it('checks its token and number without a message', async () => {
    const server = await startCallServer((_, count) => [
      200,
      { id: '106540352242922', quality_rating: count === 1 ? 'GREEN' : 'RED' },
    ]);
    expect((await open(server.url).readStatus(soon())).warning).toContain('WHATSAPP_LANGUAGES');
    expect((await open(server.url).readStatus(soon())).warning).toContain('quality');
    expect(server.received).toMatchObject(Array(2).fill({ method: 'GET' }));
    const refusing = await startCallServer(() => failed(190, 401));
    expect((await refusalOf(open(refusing.url).readStatus(soon()), [secret])).reason).toBe('credentials');
  });

  it.each(['', 'EN', 'en-US', 'en_US,DE'])('languages “%s” are invalid', (WHATSAPP_LANGUAGES) => {
    expect(z.object(whatsapp.settings).safeParse({ WHATSAPP_LANGUAGES }).success).toBe(false);
  });
});
