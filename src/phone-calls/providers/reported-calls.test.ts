import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon } from '../../testing/provider-tests.ts';
import { openCalls } from '../calls.ts';
import type { CallProvider, ReportFields } from '../provider.ts';
import { plusofon } from './plusofon.ts';
import { smsc } from './smsc.ts';
import { ucaller } from './ucaller.ts';

const secret = 'a-secret-of-the-operator-0123456';
const reportUrl = 'https://door.example/phone/called/one/secret';
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

interface ReportingProvider {
  readonly name: string;
  readonly open: (url: string) => CallProvider;
  readonly begun: Reply;
  readonly placed: { readonly number: string; readonly reference: string };
  readonly begins: object;
  readonly reports: readonly (readonly [ReportFields, object])[];
  readonly otherReports: readonly ReportFields[];
  readonly refusals: readonly (readonly [Reply, string])[];
}

const ucallerReport = {
  callId: '103000',
  callbackLink: reportUrl,
  clientNumber: '79261234567',
  confirmationNumber: '79001000011',
  isMnp: true,
  operatorName: 'ООО Скартел',
  operatorNameMnp: 'ВымпелКом ПАО',
  regionName: 'Пермский край',
};
const smscReport = {
  waitcall: '1',
  phone: '79261234567',
  ts: '1763800000',
  md5: md5(`79261234567:1763800000:${secret}`),
};

const providers: readonly ReportingProvider[] = [
  {
    name: 'uCaller',
    open: (url) =>
      ucaller.open({
        UCALLER_SERVICE_ID: '103000',
        UCALLER_SECRET: secret,
        UCALLER_REVERSE: 'on',
        UCALLER_URL: `${url}/v1.0`,
      }),
    begun: [200, { status: true, ucaller_id: 103000, phone: '7926***4567', confirmation_number: '79001000011' }],
    placed: { number: '+79001000011', reference: '103000' },
    begins: {
      method: 'POST',
      path: '/v1.0/inboundCallWaiting',
      headers: { authorization: `Bearer ${secret}.103000` },
      fields: { phone: 79261234567, callback_url: reportUrl },
    },
    reports: [
      [ucallerReport, { phone: '+79261234567', number: '+79001000011' }],
      [
        { ...ucallerReport, clientNumber: 79261234567, confirmationNumber: 79001000011 },
        { phone: '+79261234567', number: '+79001000011' },
      ],
    ],
    otherReports: [
      {},
      { ...ucallerReport, clientNumber: 'unknown' },
      { ...ucallerReport, confirmationNumber: undefined },
    ],
    refusals: [
      [[200, { status: false, error: 'Refused', code: 1002 }], 'balance'],
      [[200, { status: true, ucaller_id: 1 }], 'unavailable'],
    ],
  },
  {
    name: 'Plusofon',
    open: (url) => plusofon.open({ PLUSOFON_TOKEN: secret, PLUSOFON_REVERSE: 'on', PLUSOFON_URL: url }),
    begun: [200, { success: true, data: { key: 'key-of-the-call', phone: '88005553535' } }],
    placed: { number: '+78005553535', reference: 'key-of-the-call' },
    begins: {
      method: 'POST',
      path: '/api/v1/flash-call/call-to-auth',
      headers: { authorization: `Bearer ${secret}`, client: '10553' },
      fields: { phone: '79261234567', hook_url: reportUrl },
    },
    reports: [
      [
        { phone: '79261234567', key: 'key-of-the-call' },
        { phone: '+79261234567', reference: 'key-of-the-call' },
      ],
      [
        { phone: '89261234567', key: 'key-of-the-call' },
        { phone: '+79261234567', reference: 'key-of-the-call' },
      ],
      [
        { phone: 79261234567, key: 4711 },
        { phone: '+79261234567', reference: '4711' },
      ],
    ],
    otherReports: [{}, { phone: '79261234567' }, { key: 'key-of-the-call' }, { key: '', phone: '79261234567' }],
    refusals: [
      [[402, { success: false, message: 'Payment required' }], 'balance'],
      [[200, { success: true, data: { key: 'key-of-the-call' } }], 'unavailable'],
    ],
  },
  {
    name: 'SMSC',
    open: (url) =>
      smsc.open({ SMSC_LOGIN: 'operator', SMSC_PASSWORD: secret, SMSC_REPORT_SECRET: secret, SMSC_URL: url }),
    begun: [200, { phone: '79001000011', all_phones: ['79001000011', '79001000012'] }],
    placed: { number: '+79001000011', reference: '79261234567' },
    begins: {
      method: 'POST',
      path: '/sys/wait_call.php',
      fields: { login: 'operator', psw: secret, phone: '79261234567', fmt: '3' },
    },
    reports: [[smscReport, { phone: '+79261234567', at: 1_763_800_000_000 }]],
    otherReports: [
      {},
      { ...smscReport, waitcall: undefined },
      { ...smscReport, ts: '1763800001' },
      { ...smscReport, phone: '79261234568' },
      { ...smscReport, md5: md5('79261234567:1763800000:') },
      // The delivery status of a text message to the same phone.
      { id: '12', phone: '79261234567', status: '1', md5: md5(`12:79261234567:1:${secret}`) },
    ],
    refusals: [
      [[200, { error: 'no money', error_code: 3 }], 'balance'],
      [[200, { error: 'duplicate', error_code: 9 }], 'rate'],
      [[200, { error: 'wrong password', error_code: 2 }], 'credentials'],
      [[200, { phone: 'soon' }], 'unavailable'],
    ],
  },
];

describe.each(providers)('a call that $name reports', ({ open, begun, placed, begins, ...rows }) => {
  it('goes to a number that the provider names', async () => {
    const server = await startCallServer(() => begun);
    expect(await open(server.url).await?.({ ...call, reportUrl }, soon())).toEqual({ kind: 'awaited', ...placed });
    expect(server.received).toMatchObject([begins]);
    expect(server.received[0]?.body).not.toContain(call.code);
  });

  it('goes to the same number if the response writes numbers without quotes', async () => {
    const text = JSON.stringify(begun).replace(/"(\d{11})"/g, '$1');
    const server = await startCallServer(() => JSON.parse(text));
    expect(await open(server.url).await?.({ ...call, reportUrl }, soon())).toEqual({ kind: 'awaited', ...placed });
  });

  it.each(rows.reports)('is read from %j', (fields, read) => {
    expect(open('http://127.0.0.1:1').readReport?.(fields)).toEqual(read);
  });

  it.each(rows.otherReports)('is not read from %j', (fields) => {
    expect(open('http://127.0.0.1:1').readReport?.(fields)).toBeUndefined();
  });

  it('is read only where such reports arrive: at the URL of the call, or signed at the URL for all calls', () => {
    const provider = open('http://127.0.0.1:1');
    const log = { info: () => undefined, warn: () => undefined };
    const calls = openCalls({ providers: [provider], log, now: Date.now });
    const [[fields, read] = expect.fail('no report')] = rows.reports;
    const signs = provider.signsReports ?? false;
    const report = { provider: provider.name, fields };
    expect(calls.readReport({ ...report, isSigned: signs })).toEqual(read);
    expect(calls.readReport({ ...report, isSigned: !signs })).toBeUndefined();
    expect(calls.readReport({ ...report, provider: 'another', isSigned: signs })).toBeUndefined();
  });

  it.each(rows.refusals)('%j is %s', async (reply, reason) => {
    const server = await startCallServer(() => reply);
    const begin = async () => open(server.url).await?.({ ...call, reportUrl }, soon());
    expect((await refusalOf(begin(), [secret])).reason).toBe(reason);
  });

  it('is offered only to numbers that can call the provider’s', () => {
    const type = 'MOBILE' as const;
    expect(open('http://127.0.0.1:1').reaches?.('reverse', { country: 'RU', type })).toBe(true);
    expect(open('http://127.0.0.1:1').reaches?.('reverse', { country: 'DE', type })).toBe(false);
    expect(open('http://127.0.0.1:1').reaches?.('ring', { country: 'DE', type })).toBe(true);
  });
});
