import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../store/database.ts';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import { testClock } from '../../testing/outbox.ts';
import { type BounceReport, openBounceHandler } from './bounce-handler.ts';
import { download } from './relays.ts';

const reports = (count: number): BounceReport[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `event-${at}`,
    by: 'sendgrid',
    kind: at % 2 ? 'no_such_address' : 'delayed',
    email: `p${at}@mail.example`,
    detail: '',
  }));

/** A store that counts its transactions. */
function counting(store: Store) {
  const counted = { transactions: 0 };
  const spy = new Proxy(store, {
    get(target, name) {
      if (name === 'transaction') counted.transactions += 1;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store: spy, counted };
}

describe.each(usualEngines)('bounces, on %s,', (engine) => {
  it('are recorded in one transaction if they arrive as one batch', async () => {
    const { store, counted } = counting(await freshStore(engine));
    const returns = openBounceHandler({ store, now: testClock().now, log: { info: () => undefined } });
    await returns.take(reports(2500));
    expect(counted.transactions).toBe(1);
    await returns.take(reports(2500));
    expect(counted.transactions).toBe(1);
  });

  it('are recorded and counted once each, even if they exceed the parameters of an SQLite statement', async () => {
    const store = await freshStore(engine);
    const counted: string[] = [];
    const count = ({ kind }: { kind: string }) => counted.push(kind);
    const returns = openBounceHandler({ store, now: testClock().now, log: { info: () => undefined }, count });
    const batch = reports(33_000);
    await returns.take([...batch, ...batch]);
    await returns.take(batch);
    expect(counted).toHaveLength(batch.length);
    const { noted } = await store
      .selectFrom('returned_emails')
      .select((row) => row.fn.countAll().as('noted'))
      .executeTakeFirstOrThrow();
    expect(Number(noted)).toBe(batch.length);
  });
});

/** Starts a server on this machine until the test ends. Returns its URL. */
async function start(response: RequestListener): Promise<string> {
  const server = createServer(response);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('returns the text', async () =>
  expect(await download(await start((_, response) => response.end('a certificate')))).toBe('a certificate'));

it.each<[string, RequestListener]>([
  ['a missing page', (_, response) => response.writeHead(404).end('nothing')],
  ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['a response that is too large', (_, response) => response.end('x'.repeat(65 * 1024))],
  ['a response that never ends', (_, response) => void setInterval(() => response.write('x'.repeat(1024)), 1).unref()],
  [
    'a response that breaks off',
    (_, response) => response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
  ],
])('%s fails with try_again_later', async (_, response) => {
  await expect(download(await start(response))).rejects.toMatchObject({ code: 'try_again_later', status: 503 });
});
