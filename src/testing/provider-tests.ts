import { describe, expect, it } from 'vitest';
import { minutes } from '../contract/units.ts';
import type { Call, CallProvider, CallRefused, ProviderStatus, RefusalReason } from '../phone-calls/provider.ts';
import { smsRu } from '../phone-calls/providers/sms-ru.ts';
import { smsc } from '../phone-calls/providers/smsc.ts';
import { telegram } from '../phone-calls/providers/telegram.ts';
import { twilio } from '../phone-calls/providers/twilio.ts';
import { ucaller } from '../phone-calls/providers/ucaller.ts';
import { webhook } from '../phone-calls/providers/webhook.ts';
import { type Reply, startCallServer } from './call-server.ts';

export const call: Call = {
  id: '019a5c2e-7d11-7abc-9def-0a1b2c3d4e5f',
  phone: '+79261234567',
  code: '4083',
  locale: 'de',
  ip: '203.0.113.7',
};

/** For requests that get a response: even on a busy machine, this never fires. */
export const soon = (): AbortSignal => AbortSignal.timeout(minutes(2));

/** The refusal that a call ends with. Fails if there is none, or if it leaks a secret. */
export async function refusalOf(work: Promise<unknown>, secrets: readonly string[]): Promise<CallRefused> {
  const refused = await work.then(
    (placed) => expect.fail(`not refused: ${JSON.stringify(placed)}`),
    (error: CallRefused) => error,
  );
  expect(refused).toMatchObject({ name: 'CallRefused' });
  const text = [refused.message, refused.stack, JSON.stringify(refused), String(refused.cause)].join('\n');
  for (const secret of [...secrets, call.code, call.phone.slice(1)]) expect(text).not.toContain(secret);
  return refused;
}

const testSecret = 'a-secret-of-the-operator-0123456';
const testSid = `AC${'0123456789abcdef'.repeat(2)}`;

/** Providers at a test server, with `secret` as their secret. */
export const providers = {
  secret: testSecret,
  sid: testSid,
  smsRu: (url: string) => smsRu.open({ SMSRU_API_ID: testSecret, SMSRU_URL: url }),
  smsc: (url: string) => smsc.open({ SMSC_LOGIN: 'operator', SMSC_PASSWORD: testSecret, SMSC_URL: url }),
  telegram: (url: string) => telegram.open({ TELEGRAM_GATEWAY_TOKEN: testSecret, TELEGRAM_GATEWAY_URL: url }),
  ucaller: (url: string) =>
    ucaller.open({ UCALLER_SERVICE_ID: '103000', UCALLER_SECRET: testSecret, UCALLER_URL: url }),
  webhook: (url: string, ...ways: readonly string[]) =>
    webhook.open({ WEBHOOK_CALL_URL: url, WEBHOOK_CALL_SECRET: testSecret, WEBHOOK_CALL_WAYS: ways as never }),
  twilio: (url: string, sender: string | null = '+13035550143', numbers = ['+13035550143', '+13035550178']) =>
    twilio.open({
      ...{ TWILIO_ACCOUNT_SID: testSid, TWILIO_AUTH_TOKEN: testSecret, TWILIO_URL: url },
      ...{ TWILIO_NUMBERS: numbers, TWILIO_SMS_FROM: sender ?? undefined },
    }),
};

interface ProviderUnderTest {
  readonly open: (url: string) => CallProvider & Required<Pick<CallProvider, 'place'>>;
  readonly secrets: readonly string[];
}

/** Tests a provider's own refusals: its responses, by their meaning. */
export function testRefusals(
  { open, secrets }: Pick<ProviderUnderTest, 'secrets'> & { readonly open: (url: string) => CallProvider },
  replies: Readonly<Partial<Record<RefusalReason, readonly Reply[]>>>,
  order = (provider: CallProvider): Promise<unknown> | undefined => provider.place?.(call, soon()),
): void {
  const rows = Object.entries(replies).flatMap(([reason, all]) =>
    all.map((reply) => ({ reply, reason, shown: JSON.stringify(reply) })),
  );
  it.each(rows)('$shown is $reason', async ({ reply, reason }) => {
    const server = await startCallServer(() => reply);
    const ordered = order(open(server.url)) ?? expect.fail('not offered');
    expect((await refusalOf(ordered, secrets)).reason).toBe(reason);
    expect(server.received).toHaveLength(1);
  });
}

/** Tests the errors that any API can have, and that each sends only one request. */
export function testOutages({ open, secrets }: ProviderUnderTest): void {
  describe('for any other response:', () => {
    it.each<[string, Reply]>([
      ['an internal error', [500, { error: 'internal' }]],
      ['a page', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')],
      ['JSON of another shape', [200, ['placed', call.code, secrets]]],
      ['truncated JSON', (response) => response.end('{"status": "OK", "code": "40')],
      ['nothing', (response) => response.end()],
      ['a dropped connection', (response) => response.destroy()],
      [
        'a response cut short',
        (response) => {
          response.writeHead(200, { 'content-length': 1000 }).write('{', () => response.destroy());
        },
      ],
      ['an absurdly large response', (response) => response.end(JSON.stringify({ text: 'x'.repeat(100_000) }))],
    ])('%s', async (_, reply) => {
      const server = await startCallServer(() => reply);
      const refused = await refusalOf(open(server.url).place(call, soon()), secrets);
      expect(refused.reason).toBe('unavailable');
      expect(server.received).toHaveLength(1);
    });

    it.each<[string, unknown]>([
      [
        'in the format of its errors',
        { status: 'error', error: 'none', data: 'no', success: false, message: 'no', code: 20404 },
      ],
      ['as a page', '<h1>Not found</h1>'],
    ])('404 %s: no phone rings', async (_, said) => {
      const server = await startCallServer(() => [404, said]);
      expect((await refusalOf(open(server.url).place(call, soon()), secrets)).mayRing).toBe(0);
    });

    it.each<[string, (abort: () => void) => Reply]>([
      ['no response', (abort) => () => void setImmediate(abort)],
      [
        'a response that trickles in',
        (abort) => (response) => {
          response.writeHead(200);
          let drops = 0;
          const drip = setInterval(() => {
            response.write(' ');
            drops += 1;
            if (drops === 3) abort();
          }, 20);
          response.on('close', () => clearInterval(drip));
        },
      ],
    ])('%s: gives up when the signal aborts', async (_, replyUntil) => {
      const patience = new AbortController();
      const server = await startCallServer(() => replyUntil(() => patience.abort()));
      const refused = await refusalOf(open(server.url).place(call, patience.signal), secrets);
      expect(refused).toMatchObject({ reason: 'unavailable', message: 'no response in time' });
      expect(server.received).toHaveLength(1);
    });

    it.each([301, 302, 307, 308])('a redirect (%i) is not followed', async (status) => {
      const elsewhere = await startCallServer(() => [200, {}]);
      const server = await startCallServer(
        () => (response) => response.writeHead(status, { location: elsewhere.url }).end(),
      );
      expect((await refusalOf(open(server.url).place(call, soon()), secrets)).reason).toBe('unavailable');
      expect(elsewhere.received).toEqual([]);
    });

    it('no server at all', async () => {
      const refused = await refusalOf(open('http://127.0.0.1:1').place(call, soon()), secrets);
      expect(refused).toMatchObject({ reason: 'unavailable', message: 'no connection (ECONNREFUSED)' });
    });
  });
}

/** Runs `readStatus` against these responses of a provider. */
export async function statusWith(open: ProviderUnderTest['open'], replies: readonly Reply[]): Promise<ProviderStatus> {
  const server = await startCallServer((_, count) => replies[count - 1] as Reply);
  return open(server.url).readStatus(soon());
}
