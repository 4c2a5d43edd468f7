import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../../contract/durations.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { form } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

const secret = 'a-secret-word-of-the-operator';
const number = '79001000011';
const json = 'application/json';

let phones = 1000;
const anyPhone = () => {
  phones += 1;
  return `+7926555${phones}`;
};

type Fields = Readonly<Record<string, string>>;

function send(url: string, fields: Fields, type = json): Promise<Response> {
  const body = type === json ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
  return fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
}

const smscReport = (phone: string, at: number, word = secret): Fields => {
  const ts = String(Math.floor(at / seconds(1)));
  const md5 = createHash('md5')
    .update(`${phone.slice(1)}:${ts}:${word}`)
    .digest('hex');
  return { waitcall: '1', phone: phone.slice(1), ts, md5 };
};

describe.each(usualEngines)('a call that its provider reports, on %s', (engine) => {
  async function serverWith(provider: 'ucaller' | 'plusofon' | 'smsc') {
    const api = await startCallServer(() => [
      200,
      {
        status: true,
        ucaller_id: 7,
        confirmation_number: number,
        phone: number,
        success: true,
        data: { key: 'k', phone: number },
      },
    ]);
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: provider,
      UCALLER_SERVICE_ID: '103000',
      UCALLER_SECRET: 'secret',
      UCALLER_REVERSE: 'on',
      UCALLER_URL: api.url,
      PLUSOFON_TOKEN: 'token',
      PLUSOFON_REVERSE: 'on',
      PLUSOFON_URL: api.url,
      SMSC_LOGIN: 'operator',
      SMSC_PASSWORD: 'password',
      SMSC_REPORT_SECRET: secret,
      SMSC_URL: api.url,
    });
    return { server, api };
  }

  async function waiting(server: TestServer, phone = anyPhone()) {
    const browser = server.client();
    const { status, body } = await browser.post('/auth/phone/call', { phone, locale: 'de', way: 'reverse' });
    expect({ status, number: body.number }).toEqual({ status: 201, number: `+${number}` });
    const state = async () => (await browser.get(`/auth/phone/call/${body.call}`)).body;
    expect(await state()).toEqual({ state: 'placed' });
    return { browser, phone, call: body.call as string, state };
  }

  /** The newest URL that the provider got for its report, on the address where the test server listens. */
  const reportUrlIn = ({ received }: { received: readonly { fields: unknown }[] }, server: TestServer): string => {
    const { callback_url, hook_url } = (received.at(-1)?.fields ?? {}) as Fields;
    const url = new URL(String(callback_url ?? hook_url));
    expect(url.origin).toBe('https://door.example');
    return `${server.url}${url.pathname}`;
  };

  const reports: readonly (readonly ['ucaller' | 'plusofon', string, (phone: string) => Fields])[] = [
    ['ucaller', json, (phone) => ({ callId: '7', clientNumber: phone.slice(1), confirmationNumber: number })],
    ['plusofon', json, (phone) => ({ key: 'k', phone: phone.slice(1) })],
    ['plusofon', 'application/x-www-form-urlencoded', (phone) => ({ key: 'k', phone: phone.slice(1) })],
  ];

  test.each(reports)('confirms the number at the secret URL (%s, %s)', async (provider, type, report) => {
    const { server, api } = await serverWith(provider);
    const { browser, phone, state } = await waiting(server);
    const url = reportUrlIn(api, server);
    // A provider may probe the URL before anyone calls.
    expect((await fetch(url)).status).toBe(404);
    for (const other of [{}, report(anyPhone()), { ...report(phone), key: 'other', confirmationNumber: '79001000012' }])
      expect((await send(url, other, type)).status).toBe(200);
    expect(await state()).toEqual({ state: 'placed' });
    expect((await send(url, report(phone), type)).status).toBe(200);
    const { phone_confirmation, ...rest } = await state();
    expect(rest).toEqual({ state: 'confirmed', phone });
    expect(statusAndCode(await browser.post('/auth/register', form({ phone, phone_confirmation })))).toBe('201');
  });

  test('needs the token: the browser knows only the id of its call', async () => {
    const { server, api } = await serverWith('ucaller');
    const { phone, call, state } = await waiting(server);
    const stolen = reportUrlIn(api, server);
    await waiting(server);
    const token = stolen.split('/').at(-1) ?? '';
    const other = reportUrlIn(api, server).split('/').at(-2) ?? '';
    const report = { callId: '7', clientNumber: phone.slice(1), confirmationNumber: number };
    for (const path of [`${call}/`, `${call}/${call}`, `${call}/${token.slice(1)}`, `${other}/${token}`])
      expect((await send(`${server.url}/phone/called/${path}`, report)).status).toBe(404);
    expect(await state()).toEqual({ state: 'placed' });
  });

  test('does not confirm after five minutes', async () => {
    const { server, api } = await serverWith('ucaller');
    const { phone, state } = await waiting(server);
    server.forward(minutes(5));
    await send(reportUrlIn(api, server), { clientNumber: phone.slice(1), confirmationNumber: number });
    expect(await state()).toEqual({ state: 'expired' });
  });

  test('SMSC’s signed report confirms it at the URL for all calls', async () => {
    const { server } = await serverWith('smsc');
    const { phone, state } = await waiting(server);
    const url = `${server.url}/phone/called/smsc`;
    const type = 'application/x-www-form-urlencoded';
    const forged = [
      smscReport(phone, server.now(), 'another word'),
      smscReport(anyPhone(), server.now()),
      // PostgreSQL cannot store it.
      smscReport(`${phone}\u0000`, server.now()),
      // SMSC repeats the report of a call for an earlier wait.
      smscReport(phone, server.now() - minutes(10)),
    ];
    for (const fields of forged) expect((await send(url, fields, type)).status).toBe(200);
    expect(await state()).toEqual({ state: 'placed' });
    await send(url, smscReport(phone, server.now() + seconds(20)), type);
    expect(await state()).toMatchObject({ state: 'confirmed', phone });
  });

  test('a provider that does not sign its reports has no URL for all calls', async () => {
    const { server } = await serverWith('ucaller');
    const { phone, state } = await waiting(server);
    await send(`${server.url}/phone/called/ucaller`, { clientNumber: phone.slice(1), confirmationNumber: number });
    expect(await state()).toEqual({ state: 'placed' });
  });
});
