import { describe, expect, it } from 'vitest';
import { minutes } from '../contract/units.ts';
import { type Reply, startCallServer } from '../testing/call-server.ts';
import { testClock } from '../testing/outbox.ts';
import { call, refusalOf } from '../testing/provider-tests.ts';
import { openCalls } from './calls.ts';
import type { CallProvider, RefusalReason } from './provider.ts';
import { openCallProviders } from './providers.ts';

const secrets = [
  '9xQ2mKd84hTzVnB1cR6wLpE3sYg7uJfA',
  '27A9D540-7943-8F3B',
  'asIMhmb1ADRtpn1MdsxP',
  'a-webhook-secret-of-ours',
  'KEY0189A7B6C5D4E3F2',
];
const [ucallerSecret = '', smsRuId = '', plusofonToken = '', webhookSecret = '', telnyxKey = ''] = secrets;

const webhookSettings = { WEBHOOK_CALL_SECRET: webhookSecret, WEBHOOK_CALL_WAYS: ['ring'] };

type Replies = Partial<Record<'ucaller' | 'smsru' | 'plusofon' | 'telnyx' | 'webhook', Reply | (() => Reply)>>;

/** Real providers, in the order of `replies`, each with its own stub server that responds as given. */
async function callsWith(replies: Replies) {
  const servers = Object.fromEntries(
    await Promise.all(
      Object.entries(replies).map(async ([name, reply]) => {
        const isReply = Array.isArray(reply) || reply.length > 0;
        return [name, await startCallServer(() => (isReply ? (reply as Reply) : (reply as () => Reply)()))] as const;
      }),
    ),
  );
  const at = (name: string) => servers[name]?.url ?? 'http://127.0.0.1:1';
  const providers = openCallProviders(Object.keys(replies), {
    UCALLER_SERVICE_ID: '103000',
    UCALLER_SECRET: ucallerSecret,
    UCALLER_URL: at('ucaller'),
    SMSRU_API_ID: smsRuId,
    SMSRU_URL: at('smsru'),
    PLUSOFON_TOKEN: plusofonToken,
    PLUSOFON_URL: at('plusofon'),
    TELNYX_API_KEY: telnyxKey,
    TELNYX_VERIFY_PROFILE_ID: 'profile',
    TELNYX_URL: at('telnyx'),
    ...webhookSettings,
    WEBHOOK_CALL_URL: at('webhook'),
  });
  return { ...opened(providers), asked: (name: keyof Replies) => servers[name]?.received.length };
}

function opened(providers: readonly CallProvider[]) {
  const clock = testClock();
  const lines: { level: string; text: string; details: object }[] = [];
  const write = (level: string) => (details: object, text: string) => lines.push({ level, text, details });
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  return { calls: openCalls({ providers, log, now: clock.now }), clock, lines };
}

const placed = {
  ucaller: [200, { status: true, ucaller_id: 1, code: '4083' }],
  smsru: [200, { status: 'OK', code: '0435', call_id: '1' }],
  plusofon: [200, { success: true, data: { key: 'key-of-the-call' } }],
  telnyx: [200, { data: { id: 'id-of-the-call', status: 'pending' } }],
  webhook: [200, {}],
} as const satisfies Replies;

const ucallerRefuses = (code: number): Reply => [200, { status: false, error: `4083 ${ucallerSecret}`, code }];
const smsRuRefuses = (code: number): Reply => [200, { status: 'ERROR', status_code: code, status_text: `${smsRuId}` }];
const silence: Reply = (response) => void response;
const drip: Reply = (response) => {
  response.writeHead(200);
  const drops = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(drops));
};

describe('the first provider that accepts a call places it', () => {
  const { ucaller, smsru, plusofon, webhook } = placed;

  it.each<[string, Replies, string]>([
    ['the first provider works', { ucaller, smsru }, 'ucaller'],
    ['the settings name another order', { smsru, ucaller }, 'smsru'],
    ['the first fails', { ucaller: [500, {}], smsru }, 'smsru'],
    ['the response of the first is incomprehensible', { ucaller: [200, []], webhook }, 'webhook'],
    ['the account of the first is empty', { ucaller: ucallerRefuses(1002), smsru }, 'smsru'],
    ['the first refuses our credentials', { ucaller: ucallerRefuses(401), smsru }, 'smsru'],
    ['the network of the first rejects the call', { smsru: smsRuRefuses(207), webhook }, 'webhook'],
    ['the first applies its rate limit', { smsru: smsRuRefuses(230), plusofon }, 'plusofon'],
    [
      'only the last provider works',
      { ucaller: [500, {}], smsru: smsRuRefuses(201), plusofon: [403, {}], webhook },
      'webhook',
    ],
  ])('%s', async (_, replies, by) => {
    const { calls, asked } = await callsWith(replies);
    expect(await calls.reach('ring', call)).toMatchObject({ provider: by });
    const names = Object.keys(replies) as (keyof Replies)[];
    // Each until the one that works, and none after it.
    expect(names.map(asked)).toEqual(names.map((_name, at) => (at <= names.indexOf(by as keyof Replies) ? 1 : 0)));
  });

  it.each([
    ['ucaller', { kind: 'ours', reference: '1' }],
    ['smsru', { kind: 'theirs', code: '0435' }],
    ['telnyx', { kind: 'checked', reference: 'id-of-the-call' }],
  ] as const)('the result of %s shows who knows the digits', async (provider, result) => {
    const { calls } = await callsWith({ [provider]: placed[provider] });
    const expected = { provider, placed: result, digits: 4, code: call.code, pendingRings: 0 };
    expect(await calls.reach('ring', call)).toEqual(expected);
  });
});

describe('a user never waits longer than five seconds', () => {
  const rows: [string, Replies, string | undefined][] = [
    ['one silent provider, and another', { ucaller: silence, smsru: placed.smsru }, 'smsru'],
    ['one provider whose response drips, and another', { ucaller: drip, webhook: placed.webhook }, 'webhook'],
    ['two silent providers, and another', { ucaller: silence, smsru: drip, webhook: placed.webhook }, 'webhook'],
    ['only silent providers', { ucaller: silence, smsru: silence, plusofon: drip, webhook: silence }, undefined],
    [
      'a provider that takes a second',
      { webhook: (response) => void setTimeout(() => response.end('{}'), 1000) },
      'webhook',
    ],
  ];

  it('if providers are slow', async () => {
    const outcomes = rows.map(async ([what, replies, by]) => {
      const { calls, asked: query } = await callsWith(replies);
      const provider = await calls.reach('ring', call).then(
        (one) => one.provider,
        ({ reason }) => reason,
      );
      expect([what, provider]).toEqual([what, by ?? 'unavailable']);
      for (const name of Object.keys(replies)) expect([what, query(name as keyof Replies)]).toEqual([what, 1]);
    });
    await Promise.all(outcomes);
  });

  it('if a provider ignores the abort signal', async () => {
    const deaf: CallProvider = {
      name: 'deaf',
      place: () => new Promise(() => undefined),
      check: () => new Promise(() => undefined),
      readStatus: () => new Promise(() => undefined),
    };
    const { calls } = opened([deaf]);
    const [place, check, readStatus] = await Promise.all([
      refusalOf(calls.reach('ring', call), []),
      refusalOf(calls.check({ provider: 'deaf', reference: 'key', digits: '1234' }), []),
      calls.readStatus(),
    ]);
    expect([place.reason, check.reason, readStatus[0]?.refused?.reason]).toEqual(Array(3).fill('unavailable'));
  });
});

describe('a call that no provider places fails', () => {
  it.each<[string, Replies, RefusalReason]>([
    ['if all fail', { ucaller: [500, {}], smsru: [500, {}] }, 'unavailable'],
    ['if all accounts are empty', { ucaller: ucallerRefuses(1002), smsru: smsRuRefuses(201) }, 'balance'],
    ['if all reject the number', { ucaller: ucallerRefuses(9), smsru: smsRuRefuses(207) }, 'rejected'],
    ['if all apply their rate limits', { ucaller: ucallerRefuses(429), smsru: smsRuRefuses(230) }, 'rate'],
    ['if each refuses for another reason', { ucaller: ucallerRefuses(9), smsru: [500, {}] }, 'unavailable'],
    ['if there is no provider', {}, 'unavailable'],
  ])('%s', async (_, replies, reason) => {
    const { calls } = await callsWith(replies);
    expect((await refusalOf(calls.reach('ring', call), secrets)).reason).toBe(reason);
  });

  it('for an invalid number only after a second provider was tried', async () => {
    const { calls, asked: query } = await callsWith({ ucaller: ucallerRefuses(3), smsru: placed.smsru });
    expect((await calls.reach('ring', call)).provider).toBe('smsru');
    const alone = await callsWith({ ucaller: ucallerRefuses(3) });
    expect((await refusalOf(alone.calls.reach('ring', call), secrets)).reason).toBe('number');
    expect([query('ucaller'), query('smsru')]).toEqual([1, 1]);
  });

  it('if two providers report the number as invalid, without trying a third', async () => {
    const { calls, asked: query } = await callsWith({
      smsru: [500, {}],
      ucaller: ucallerRefuses(3),
      telnyx: [422, { errors: [{ code: '10016' }] }],
      webhook: placed.webhook,
    });
    expect((await refusalOf(calls.reach('ring', call), secrets)).reason).toBe('number');
    expect([query('smsru'), query('ucaller'), query('telnyx'), query('webhook')]).toEqual([1, 1, 1, 0]);
  });
});

describe('a phone may still ring', () => {
  it.each<[string, Replies, number]>([
    ['if one provider is silent', { ucaller: silence }, 1],
    ['if two providers are silent', { ucaller: silence, smsru: drip }, 2],
    ['after an error without details', { webhook: [500, {}] }, 1],
    ['after an undocumented response', { webhook: [200, { status: 'error' }] }, 1],
    // RFC 9110, section 15.5.9: the server did not receive a complete request in time; it may have acted on it.
    ['after a request timeout', { webhook: [408, {}] }, 1],
    ['after a broken connection', { smsru: (response) => response.destroy() }, 1],
    ['but not after refusals', { ucaller: ucallerRefuses(9), smsru: smsRuRefuses(201), webhook: [422, {}] }, 0],
    ['if only one of two refuses', { ucaller: ucallerRefuses(9), smsru: [502, {}] }, 1],
    ['but not without a provider', {}, 0],
  ])('%s', async (_, replies, mayRing) => {
    const { calls } = await callsWith(replies);
    expect((await refusalOf(calls.reach('ring', call), secrets)).mayRing).toBe(mayRing);
  });

  it('but not if the provider’s server is unreachable, so that no request was sent', async () => {
    const { calls } = opened(
      openCallProviders(['webhook'], { ...webhookSettings, WEBHOOK_CALL_URL: 'http://127.0.0.1:1' }),
    );
    expect((await refusalOf(calls.reach('ring', call), secrets)).mayRing).toBe(0);
  });

  it('in addition to the placed call', async () => {
    const { calls } = await callsWith({ ucaller: [500, {}], smsru: smsRuRefuses(201), webhook: placed.webhook });
    expect(await calls.reach('ring', call)).toMatchObject({ provider: 'webhook', pendingRings: 1 });
  });
});

describe('a provider whose account is empty or wrong', () => {
  it.each([1002, 401])('is skipped for a minute (error %i)', async (code) => {
    let isFixed = false;
    const ucaller = () => (isFixed ? placed.ucaller : ucallerRefuses(code));
    const { calls, clock, asked: query } = await callsWith({ ucaller, smsru: placed.smsru });
    for (let count = 0; count < 3; count += 1) expect((await calls.reach('ring', call)).provider).toBe('smsru');
    expect([query('ucaller'), query('smsru')]).toEqual([1, 3]);
    isFixed = true;
    clock.pass(minutes(1) - 1);
    expect((await calls.reach('ring', call)).provider).toBe('smsru');
    clock.pass(1);
    expect((await calls.reach('ring', call)).provider).toBe('ucaller');
    expect((await calls.reach('ring', call)).provider).toBe('ucaller');
    expect([query('ucaller'), query('smsru')]).toEqual([3, 4]);
  });

  it('is not skipped longer than that after the clock is set back', async () => {
    const { calls, clock, asked: query } = await callsWith({ ucaller: ucallerRefuses(1002), smsru: placed.smsru });
    await calls.reach('ring', call);
    clock.pass(-minutes(60));
    for (let time = 0; time < 2; time += 1) {
      clock.pass(minutes(1));
      await calls.reach('ring', call);
    }
    expect([query('ucaller'), query('smsru')]).toEqual([3, 3]);
  });

  it('is still tried if there is no other, and no longer skipped once it has placed a call', async () => {
    let isFixed = false;
    const ucaller = () => (isFixed ? placed.ucaller : ucallerRefuses(1002));
    const { calls, asked: query } = await callsWith({ ucaller, smsru: smsRuRefuses(201) });
    await refusalOf(calls.reach('ring', call), secrets);
    await refusalOf(calls.reach('ring', call), secrets);
    expect([query('ucaller'), query('smsru')]).toEqual([2, 2]);
    isFixed = true;
    for (let count = 0; count < 2; count += 1) expect((await calls.reach('ring', call)).provider).toBe('ucaller');
    expect([query('ucaller'), query('smsru')]).toEqual([4, 2]);
  });

  it('is the only one that we skip: after errors, rejections and rate limits we try a provider again immediately', async () => {
    const { calls, asked: query } = await callsWith({
      ucaller: [500, {}],
      smsru: smsRuRefuses(230),
      webhook: placed.webhook,
    });
    for (let count = 0; count < 2; count += 1) await calls.reach('ring', call);
    expect([query('ucaller'), query('smsru'), query('webhook')]).toEqual([2, 2, 2]);
  });
});

it('a provider whose call did not arrive is tried last', async () => {
  const { calls } = await callsWith({ ucaller: placed.ucaller, smsru: placed.smsru, webhook: placed.webhook });
  expect((await calls.reach('ring', call, { missed: ['ucaller'] })).provider).toBe('smsru');
  expect((await calls.reach('ring', call, { missed: ['ucaller', 'smsru'] })).provider).toBe('webhook');
  expect((await calls.reach('ring', call, { missed: ['webhook', 'smsru', 'ucaller'] })).provider).toBe('ucaller');
  const { calls: broken } = await callsWith({ ucaller: placed.ucaller, smsru: [500, {}] });
  expect((await broken.reach('ring', call, { missed: ['ucaller'] })).provider).toBe('ucaller');
});

describe('a voice call', () => {
  it('is placed by a provider that can speak', async () => {
    const { calls, asked: query } = await callsWith({ smsru: placed.smsru, ucaller: placed.ucaller });
    expect(calls.spokenLanguages).toEqual(['ru']);
    expect(await calls.reach('voice', { ...call, locale: 'ru' })).toMatchObject({
      provider: 'ucaller',
      placed: { kind: 'ours' },
    });
    expect([query('smsru'), query('ucaller')]).toEqual([0, 1]);
  });

  it('is not offered if no provider can speak', async () => {
    const { calls, asked: query } = await callsWith({ smsru: placed.smsru });
    expect(calls.spokenLanguages).toEqual([]);
    await refusalOf(calls.reach('voice', call), secrets);
    expect(query('smsru')).toBe(0);
  });

  it('is offered and placed in the languages that a provider speaks', async () => {
    const german: CallProvider = {
      name: 'german',
      place: async () => ({ kind: 'ours' }),
      speak: async () => ({ kind: 'ours' }),
      spokenLanguages: ['de'],
      readStatus: async () => ({}),
    };
    const { calls } = opened([german]);
    expect(calls.spokenLanguages).toEqual(['de']);
    expect((await calls.reach('voice', call)).provider).toBe('german');
    expect(await refusalOf(calls.reach('voice', { ...call, locale: 'hu' }), secrets)).toMatchObject({ mayRing: 0 });
  });
});

describe('digits that only the provider knows', () => {
  const question = { provider: 'telnyx', reference: 'id-of-the-call', digits: '1234' };

  it('are checked by the provider that placed the call, even while we skip it for new calls', async () => {
    let calling = true;
    const { calls, lines } = await callsWith({
      telnyx: () => (calling ? [402, {}] : [200, { data: { response_code: 'accepted' } }]),
      smsru: placed.smsru,
    });
    await calls.reach('ring', call);
    calling = false;
    expect(await calls.check(question)).toBe('confirmed');
    expect(JSON.stringify(lines)).not.toContain('1234');
  });

  it.each([
    ['fails', { telnyx: [500, {}] as Reply }, question],
    ['is no longer configured', { smsru: placed.smsru }, question],
    ['does not support checks', { smsru: placed.smsru }, { ...question, provider: 'smsru' }],
  ])('are not checked if the provider %s', async (_, replies, query) => {
    const { calls, lines } = await callsWith(replies);
    const refused = await refusalOf(calls.check(query), [...secrets, '1234', 'id-of-the-call']);
    expect(refused.reason).toBe('unavailable');
    expect(lines).toMatchObject([{ level: 'warn', text: 'call not checked', details: { provider: query.provider } }]);
    expect(JSON.stringify(lines)).not.toMatch(/1234|id-of-the-call/);
  });
});

it('the doctor gets the status of each provider', async () => {
  const { calls } = await callsWith({
    ucaller: [200, { status: true, rub_balance: 84.6 }],
    smsru: smsRuRefuses(200),
    webhook: [200, {}],
  });
  expect(await calls.readStatus()).toEqual([
    { provider: 'ucaller', balance: '84.6 RUB' },
    { provider: 'smsru', refused: { reason: 'credentials', message: 'sms.ru’s error 200' } },
    { provider: 'webhook', warning: 'it responds; only a call shows whether it accepts our signature' },
  ]);
});

it('the log shows which provider failed and why, but never a number, code or secret', async () => {
  const broken: CallProvider = {
    name: 'broken',
    place: ({ code, phone }) => Promise.reject(new TypeError(`cannot call ${phone} with ${code}`)),
    readStatus: async () => ({}),
  };
  const { calls, lines } = opened([
    broken,
    ...openCallProviders(['ucaller', 'smsru'], {
      UCALLER_SERVICE_ID: '103000',
      UCALLER_SECRET: ucallerSecret,
      UCALLER_URL: (await startCallServer(() => ucallerRefuses(1002))).url,
      SMSRU_API_ID: smsRuId,
      SMSRU_URL: (await startCallServer(() => placed.smsru)).url,
    }),
  ]);
  await calls.reach('ring', call);
  expect(lines).toMatchObject([
    {
      level: 'warn',
      text: 'call not placed',
      details: { call: call.id, provider: 'broken', reason: 'unavailable', error: 'failed unexpectedly (TypeError)' },
    },
    {
      level: 'warn',
      details: { provider: 'ucaller', reason: 'balance', error: 'uCaller’s error 1002: the account is empty' },
    },
    { level: 'info', text: 'call placed', details: { call: call.id, provider: 'smsru', kind: 'theirs' } },
  ]);
  const log = JSON.stringify(lines);
  for (const hidden of [...secrets, call.code, '0435', '9261234567', call.ip]) expect(log).not.toContain(hidden);
});
