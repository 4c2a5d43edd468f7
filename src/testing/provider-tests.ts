import { describe, expect, it } from 'vitest';
import { minutes } from '../contract/durations.ts';
import type { Call, CallProvider, CallRefused, ProviderStatus, RefusalReason } from '../phone-calls/provider.ts';
import { type Reply, startCallServer } from './call-server.ts';

export const call: Call = {
  id: '019a5c2e-7d11-7abc-9def-0a1b2c3d4e5f',
  phone: '+79261234567',
  code: '4083',
  locale: 'de',
  ip: '203.0.113.7',
};

/** For requests that are answered: on a busy machine, too, it never comes. */
export const soon = (): AbortSignal => AbortSignal.timeout(minutes(2));

/** The refusal that a call ends with; fails when there is none, or when it tells what nobody should read. */
export async function refusalOf(work: Promise<unknown>, secrets: readonly string[]): Promise<CallRefused> {
  const refused = await work.then(
    (placed) => expect.fail(`not refused: ${JSON.stringify(placed)}`),
    (error: CallRefused) => error,
  );
  expect(refused).toMatchObject({ name: 'CallRefused' });
  const told = [refused.message, refused.stack, JSON.stringify(refused), String(refused.cause)].join('\n');
  for (const secret of [...secrets, call.code, call.phone.slice(1)]) expect(told).not.toContain(secret);
  return refused;
}

interface ProviderUnderTest {
  readonly open: (url: string) => CallProvider & Required<Pick<CallProvider, 'place'>>;
  readonly secrets: readonly string[];
}

/** A provider's own refusals: each row is what it answers and what that means. */
export function testRefusals(
  { open, secrets }: ProviderUnderTest,
  rows: readonly (readonly [Reply, RefusalReason])[],
): void {
  it.each(rows.map(([reply, reason]) => ({ reply, reason, shown: JSON.stringify(reply) })))(
    '$shown is $reason',
    async ({ reply, reason }) => {
      const server = await startCallServer(() => reply);
      expect((await refusalOf(open(server.url).place(call, soon()), secrets)).reason).toBe(reason);
      expect(server.received).toHaveLength(1);
    },
  );
}

/** What can go wrong with any API, and that it is asked once. */
export function testOutages({ open, secrets }: ProviderUnderTest): void {
  describe('whatever else it answers', () => {
    it.each<[string, Reply]>([
      ['a failure of its own', [500, { error: 'internal' }]],
      ['a page', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')],
      ['JSON of another kind', [200, ['placed', call.code, secrets]]],
      ['half of its JSON', (response) => response.end('{"status": "OK", "code": "40')],
      ['nothing', (response) => response.end()],
      ['a broken connection', (response) => response.destroy()],
      [
        'an answer that breaks off',
        (response) => {
          response.writeHead(200, { 'content-length': 1000 }).write('{');
          setTimeout(() => response.destroy(), 20);
        },
      ],
      ['more than anyone could mean', (response) => response.end(JSON.stringify({ text: 'x'.repeat(100_000) }))],
    ])('%s', async (_, reply) => {
      const server = await startCallServer(() => reply);
      const refused = await refusalOf(open(server.url).place(call, soon()), secrets);
      expect(refused.reason).toBe('unavailable');
      expect(server.received).toHaveLength(1);
    });

    it.each<[string, unknown]>([
      [
        'as it words its errors',
        { status: 'error', error: 'none', data: 'no', success: false, message: 'no', code: 20404 },
      ],
      ['as a page', '<h1>Not found</h1>'],
    ])('an address where there is nothing, %s: no phone rings', async (_, said) => {
      const server = await startCallServer(() => [404, said]);
      expect((await refusalOf(open(server.url).place(call, soon()), secrets)).mayRing).toBe(0);
    });

    it.each<[string, Reply]>([
      ['silence', () => undefined],
      [
        'an answer that drips',
        (response) => {
          response.writeHead(200);
          const drip = setInterval(() => response.write(' '), 20);
          response.on('close', () => clearInterval(drip));
        },
      ],
    ])('%s: not longer than the signal allows', async (_, reply) => {
      const server = await startCallServer(() => reply);
      const refused = await refusalOf(open(server.url).place(call, AbortSignal.timeout(150)), secrets);
      expect(refused).toMatchObject({ reason: 'unavailable', message: 'no answer in time' });
      expect(server.received).toHaveLength(1);
    });

    it.each([301, 302, 307, 308])('a redirect (%i): is not followed', async (status) => {
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

/** What a provider's own answers make of `examine`. */
export async function examineWith(open: ProviderUnderTest['open'], replies: readonly Reply[]): Promise<ProviderStatus> {
  const server = await startCallServer((_, count) => replies[count - 1] as Reply);
  return open(server.url).examine(soon());
}
