import { describe, expect, it, vi } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { speakDigits, twilio } from './twilio.ts';

const sid = `AC${'0123456789abcdef'.repeat(2)}`;
const callSid = `CA${'fedcba9876543210'.repeat(2)}`;
const token = '5f4dcc3b5aa765d61d8327deb882cf99';
const secrets = [token, Buffer.from(`${sid}:${token}`).toString('base64')];
const pool = ['+13035550143', '+13035550178', '+442079460999'];
const open = (url: string) =>
  twilio.open({
    TWILIO_ACCOUNT_SID: sid,
    TWILIO_AUTH_TOKEN: token,
    TWILIO_NUMBERS: pool,
    TWILIO_SMS_FROM: undefined,
    TWILIO_URL: url,
  });
const placed = { sid: callSid, status: 'queued', to: call.phone };
const callsPath = `/2010-04-01/Accounts/${sid}/Calls.json`;
const callPath = `/2010-04-01/Accounts/${sid}/Calls/${callSid}.json`;
const refused = (status: number, code: number): Reply => [
  status,
  { code, message: `+79261234567 4083 ${secrets}`, more_info: '', status },
];

/** Twilio after a placed call: each query for the call returns its next status. */
async function startTwilio(statuses: readonly string[]) {
  return startCallServer(({ method, path }, count) => {
    if (path === callsPath) return [201, placed];
    if (method === 'POST') return [200, { ...placed, status: 'canceled' }];
    return [200, { ...placed, status: statuses[Math.min(count - 2, statuses.length - 1)] }];
  });
}

const provider = { open, secrets };

describe('Twilio', () => {
  it('calls from a number of the pool; its last digits are the code', async () => {
    const codes = new Set<string>();
    for (let count = 0; count < 60; count += 1) {
      const server = await startTwilio(['completed']);
      const response = await open(server.url).place(call, soon());
      const [request = expect.fail('no request')] = server.received;
      const { From: from } = request.fields as { From: string };
      expect(pool).toContain(from);
      expect(response).toEqual({ kind: 'theirs', code: from.slice(-4) });
      expect(request).toMatchObject({
        method: 'POST',
        path: callsPath,
        headers: { authorization: `Basic ${secrets[1]}` },
        fields: { To: '+79261234567', Timeout: '20', Twiml: '<Response><Hangup/></Response>' },
      });
      codes.add(from.slice(-4));
    }
    expect(codes).toEqual(new Set(['0143', '0178', '0999']));
  });

  it('cancels the call once it rings, after the response to the user', async () => {
    const server = await startTwilio(['queued', 'ringing']);
    await open(server.url).place(call, soon());
    expect(server.received).toHaveLength(1);
    await vi.waitFor(() => expect(server.received).toHaveLength(4), { timeout: 120_000, interval: 50 });
    expect(server.received.slice(1)).toMatchObject([
      { method: 'GET', path: callPath },
      { method: 'GET', path: callPath },
      { method: 'POST', path: callPath, fields: { Status: 'canceled' } },
    ]);
  });

  it('does not cancel a call that no longer rings', async () => {
    const statuses = ['in-progress', 'completed', 'busy', 'no-answer', 'failed', 'canceled'];
    const servers = await Promise.all(statuses.map((status) => startTwilio([status])));
    for (const { url } of servers) await open(url).place(call, soon());
    await new Promise((resolve) => setTimeout(resolve, 2500));
    for (const { received } of servers) {
      expect(received.slice(1)).toMatchObject([{ method: 'GET', path: callPath }]);
    }
  });

  it('repeats a failed query for the call', async () => {
    const server = await startCallServer(({ method, path }, count) => {
      if (path === callsPath) return [201, placed];
      if (method === 'POST') return [500, {}];
      return count === 2 ? [503, {}] : [200, { ...placed, status: 'ringing' }];
    });
    await open(server.url).place(call, soon());
    await vi.waitFor(() => expect(server.received).toHaveLength(4), { timeout: 120_000, interval: 50 });
    expect(server.received.slice(1).map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
  });

  it.each([
    ['en', 'en-US', 'Polly.Joanna'],
    ['de', 'de-DE', 'Polly.Vicki'],
    ['ar', 'arb', 'Polly.Zeina'],
    ['cs', 'cs-CZ', 'Polly.Jitka-Neural'],
    ['pt', 'pt-BR', 'Polly.Camila'],
    ['zh', 'cmn-CN', 'Polly.Zhiyu'],
  ] as const)('speaks our code in %s', async (locale, language, voice) => {
    const server = await startTwilio(['completed']);
    expect(await open(server.url).speak?.({ ...call, locale }, soon())).toMatchObject({ kind: 'ours' });
    const [{ fields: sent } = expect.fail('no request')] = server.received;
    const { Twiml, ...fields } = sent as Record<string, string>;
    expect(fields).toMatchObject({ To: '+79261234567', Timeout: '30', TimeLimit: '90' });
    const once = `<Say language="${language}" voice="${voice}">4, 0, 8, 3.</Say><Pause length="1"/>`;
    expect(Twiml).toBe(`<Response><Pause length="1"/>${once}${once}${once}</Response>`);
  });

  it('has a separate voice for each language that it speaks, and offers only these languages', async () => {
    const { spokenLanguages = [], speak } = open('https://twilio.example');
    expect(speak).toBeDefined();
    // Twilio has no voices for these languages.
    for (const silent of ['hu', 'uk'] as const) expect(spokenLanguages).not.toContain(silent);
    const spoken = spokenLanguages.map((locale) => speakDigits({ code: '4083', locale }));
    expect(new Set(spoken).size).toBe(spokenLanguages.length);
  });

  it('escapes markup in the introduction', async () => {
    const server = await startTwilio(['completed']);
    await open(server.url).speak?.({ ...call, introduction: 'Your code for A&B <Ltd>:' }, soon());
    expect(server.received[0]?.body).toContain(
      new URLSearchParams({ a: '>Your code for A&amp;B &lt;Ltd&gt;: 4, 0, 8, 3.</Say>' }).toString().slice(2),
    );
  });

  testRefusals(provider, {
    credentials: [refused(401, 20003), refused(403, 20005), refused(400, 21210)],
    number: [refused(400, 21211)],
    rejected: [refused(400, 21215), refused(400, 21219), refused(400, 99999)],
    rate: [refused(429, 20429)],
    balance: [[402, {}]],
    unavailable: [refused(503, 20503), [201, { sid: `CA/../${sid}` }]],
  });

  testOutages(provider);

  it('reports its balance, and how easily the code of so few numbers is guessed', async () => {
    const server = await startCallServer(() => [200, { account_sid: sid, balance: '4.01', currency: 'USD' }]);
    expect(await open(server.url).readStatus(soon())).toEqual({
      balance: '4.01 USD',
      warning:
        'someone who knows the 3 numbers can confirm another person’s phone with three guesses, with a chance of 3 in 3',
    });
    expect(server.received).toMatchObject([{ method: 'GET', path: `/2010-04-01/Accounts/${sid}/Balance.json` }]);
    expect((await refusalOf(statusWith(open, [refused(401, 20003)]), secrets)).reason).toBe('credentials');
  });
});
