import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../../contract/units.ts';
import { type Reply, startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { anyPhone } from '../../../testing/people.ts';
import { openTestServer } from '../../../testing/test-server.ts';

let addresses = 0;
const anyAddress = () => {
  addresses += 1;
  return { ip: `198.51.100.${addresses}` };
};

type House = Awaited<ReturnType<typeof openTestServer>>;
type Asking = Parameters<typeof startCallServer>[0];

const secret = 'a secret of the operator';

/** The service with one provider, whose responses the test defines. */
async function serverWith(provider: 'webhook' | 'telnyx', reply: Asking, settings: Record<string, string> = {}) {
  const server = await startCallServer(reply);
  const testServer = await openTestServer('sqlite', {
    PHONE_CONFIRMATION: 'required',
    CALL_PROVIDERS: provider,
    WEBHOOK_CALL_URL: `${server.url}/call`,
    WEBHOOK_CALL_SECRET: secret,
    TELNYX_URL: server.url,
    TELNYX_API_KEY: 'key',
    TELNYX_VERIFY_PROFILE_ID: 'profile',
    ...settings,
  });
  return { server: testServer, received: server.received };
}

const ask = (testServer: House, phone: string, from = anyAddress()) =>
  testServer.client(from).post('/auth/phone/call', { phone, locale: 'de' });

/** A browser whose call was placed. */
async function called(testServer: House) {
  const browser = testServer.client();
  const { call } = (await browser.post('/auth/phone/call', { phone: anyPhone(), locale: 'de' })).body;
  return { browser, call, confirm: (digits: string) => browser.post('/auth/phone/confirm', { call, digits }) };
}

/** Rings, but responds too late. */
const tooLate: Reply = (response) => void setTimeout(() => response.end('{}'), seconds(6)).unref();
const refuses: Reply = [422, { error: 'no calls to this country' }];

test('the code of a webhook replaces ours', async () => {
  const { server: testServer } = await serverWith('webhook', () => [200, { code: '0427' }]);
  const { confirm } = await called(testServer);
  expect(await confirm('0427')).toSay('200');
});

describe('a refused call', () => {
  test('is reported, and the number may be called again immediately', async () => {
    const { server: testServer, received } = await serverWith('webhook', () => refuses);
    const phone = anyPhone();
    for (let time = 0; time < 2; time += 1) expect(await ask(testServer, phone)).toSay('503 call_failed');
    expect(received).toHaveLength(2);
  });

  test('does not count toward the limit of its address', async () => {
    let isFixed = false;
    const { server: testServer } = await serverWith('webhook', () => (isFixed ? [200, {}] : refuses));
    const from = anyAddress();
    for (let time = 0; time < 8; time += 1) expect(await ask(testServer, anyPhone(), from)).toSay('503 call_failed');
    isFixed = true;
    expect(await ask(testServer, anyPhone(), from)).toSay('201');
  });

  test.each([
    ['a number', 10, () => [anyPhone(), undefined] as const],
    ['an address', 20, () => [undefined, anyAddress()] as const], // four times its limit of calls
  ])('does not allow endless attempts: %s has %i an hour', async (_, max, same) => {
    const { server: testServer, received } = await serverWith('webhook', () => refuses, { CALLS_PER_ADDRESS: '5' });
    const [phone, from] = same();
    const again = async () => statusAndCode(await ask(testServer, phone ?? anyPhone(), from));
    for (let time = 0; time < max; time += 1) expect(await again()).toBe('503 call_failed');
    expect(await again()).toBe('429 too_many_calls');
    expect(received).toHaveLength(max);
  });
});

describe('a provider that rings and responds too late', () => {
  test('has called: the pause of the number applies', async () => {
    const { server: testServer, received } = await serverWith('webhook', () => tooLate);
    const phone = anyPhone();
    expect(await ask(testServer, phone)).toSay('503 call_failed');
    expect(await ask(testServer, phone)).toSay('429 too_many_calls');
    for (let time = 0; time < 2; time += 1) {
      testServer.forward(seconds(61));
      expect(await ask(testServer, phone)).toSay('503 call_failed');
    }
    testServer.forward(seconds(61));
    expect(await ask(testServer, phone)).toSay('429 too_many_calls');
    expect(received).toHaveLength(3);
  });

  test('has used the day’s budget', async () => {
    const { server: testServer, received } = await serverWith('webhook', () => tooLate, { CALLS_PER_DAY: '2' });
    const responses = await Promise.all(
      Array.from({ length: 4 }, async () => statusAndCode(await ask(testServer, anyPhone()))),
    );
    expect(responses.sort()).toEqual([
      '429 too_many_calls',
      '429 too_many_calls',
      '503 call_failed',
      '503 call_failed',
    ]);
    expect(received).toHaveLength(2);
  });

  test('counts in addition to the next provider', async () => {
    const late = await startCallServer(() => tooLate);
    const { server: testServer } = await serverWith('webhook', () => [200, {}], {
      CALL_PROVIDERS: 'ucaller,webhook',
      UCALLER_URL: late.url,
      UCALLER_SERVICE_ID: '1',
      UCALLER_SECRET: 'secret',
      CALLS_PER_DAY: '4',
    });
    expect(await ask(testServer, anyPhone())).toSay('201');
    expect(await ask(testServer, anyPhone())).toSay('201');
    expect(await ask(testServer, anyPhone())).toSay('429 too_many_calls');
  });
});

describe('digits that only the provider knows', () => {
  const placed: Reply = [200, { data: { id: 'id-of-the-call', status: 'pending' } }];
  const isCheck = (path: string) => path.endsWith('/verify');
  const verdict = (digits: unknown): Reply => [
    200,
    { data: { response_code: JSON.stringify(digits).includes('4083') ? 'accepted' : 'rejected' } },
  ];

  test('do not cost tries while it does not respond', async () => {
    let down = true;
    const { server: testServer } = await serverWith('telnyx', ({ path, fields }) => {
      if (!isCheck(path)) return placed;
      return down ? [503, {}] : verdict(fields);
    });
    const { confirm } = await called(testServer);
    for (let time = 0; time < 12; time += 1) expect(await confirm('4083')).toSay('503 try_again_later');
    down = false;
    expect(await confirm('1111')).toSay('422 digits_incorrect');
    expect(await confirm('4083')).toSay('200');
  });

  test.each<[string, Reply]>([
    ['rejects', [200, { data: { response_code: 'rejected' } }]],
    ['no longer knows', [404, { errors: [{ code: '10005' }] }]],
  ])('succeed twice if sent twice concurrently, although it %s digits that it has accepted', async (_, refused) => {
    const [both, confirmed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    const { server: testServer } = await serverWith('telnyx', ({ path, fields }) => {
      if (!isCheck(path)) return placed;
      asked += 1;
      if (asked === 2) both.resolve();
      const [until, reply] = asked === 1 ? [both.promise, verdict(fields)] : [confirmed.promise, refused];
      const [status, body] = reply as readonly [number, unknown];
      return (response) => void until.then(() => response.writeHead(status).end(JSON.stringify(body)));
    });
    const { confirm } = await called(testServer);
    const confirmOnce = () => confirm('4083').finally(confirmed.resolve);
    const [one, other] = await Promise.all([confirmOnce(), confirmOnce()]);
    expect([statusAndCode(one), statusAndCode(other)]).toEqual(['200', '200']);
    expect(one.body).toEqual(other.body);
  });

  test('are checked at most thirty times an hour, and the call stays valid after that', async () => {
    const { server: testServer } = await serverWith('telnyx', ({ path }) => (isCheck(path) ? [503, {}] : placed));
    const { browser, call, confirm } = await called(testServer);
    for (let time = 0; time < 30; time += 1) expect(await confirm('1111')).toSay('503 try_again_later');
    expect(await confirm('1111')).toSay('503 call_failed');
    expect((await browser.get(`/auth/phone/call/${call}`)).body).toEqual({ state: 'placed' });
  });

  test('are still right after the confirmation, and wrong digits still fail', async () => {
    const { server: testServer } = await serverWith('telnyx', ({ path, fields }) =>
      isCheck(path) ? verdict(fields) : placed,
    );
    const { confirm } = await called(testServer);
    expect(await confirm('4083')).toSay('200');
    expect(await confirm('1111')).toSay('422 digits_incorrect');
    testServer.forward(minutes(2));
    expect(await confirm('4083')).toSay('200');
  });
});
