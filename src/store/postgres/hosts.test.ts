import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase, openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { openProxy } from '../../testing/databases/outages.ts';
import { freePort } from '../../testing/free-port.ts';
import type { Store } from '../database.ts';
import { hostsIn, unencryptedHostIn } from './hosts.ts';

test.each([
  ['postgres://db/v', ['postgres://db/v']],
  [
    'postgres://u:p,w@one:5432,two/v?sslmode=verify-full',
    ['postgres://u:p,w@one:5432/v?sslmode=verify-full', 'postgres://u:p,w@two/v?sslmode=verify-full'],
  ],
  ['postgresql://[::1]:5432,[::2]:5433', ['postgresql://[::1]:5432', 'postgresql://[::2]:5433']],
])('%s names %j', (url, hosts) => expect(hostsIn(url)).toEqual(hosts));

const at = (url: string, ports: readonly (string | number)[]): string =>
  url.replace(
    /@?([^@/,]+):\d+\//,
    (all, host) => `${all.startsWith('@') ? '@' : ''}${ports.map((port) => `${host}:${port}`)}/`,
  );

const ask = (store: Store) => sql<{ one: number }>`select ${1}::integer as one`.execute(store);

test.runIf(withPostgres)('finds the available one of several hosts immediately', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const url = at(databaseUrl, [await freePort(), new URL(databaseUrl).port]);
  expect(hostsIn(url)).toHaveLength(2);
  const store = openTestStore({ dataDir, databaseUrl: url }, {});
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(store)));
  expect(responses.map(({ rows }) => rows[0]?.one)).toEqual(Array(20).fill(1));
});

test.runIf(withPostgres)('switches to the other host whenever the current one stops responding', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const [one, other] = [await openProxy(databaseUrl), await openProxy(databaseUrl)];
  const store = openTestStore(
    { dataDir, databaseUrl: at(databaseUrl, [new URL(one.url).port, new URL(other.url).port]) },
    {},
  );
  const works = () =>
    ask(store).then(
      () => true,
      () => false,
    );
  expect(await works()).toBe(true);
  one.hold();
  await expect.poll(works).toBe(true);
  one.release();
  other.hold();
  await expect.poll(works).toBe(true);
});

test.each([
  ['postgres://u:p@db.example/v', 'db.example'],
  ['postgres://u:p@127.0.0.1,db2.example:5433/v', 'db2.example'],
  ['postgres://u:p@db.example/v?sslmode=verify-full', undefined],
  ['postgres://u:p@10.0.0.4/v?sslmode=disable', undefined],
  ['postgres://u:p@localhost/v', undefined],
  ['postgres://u@[::1]/v', undefined],
  ['postgres:///v?host=/run/postgresql', undefined],
])('the connection of %s is unencrypted to %s', (url, host) => expect(unencryptedHostIn(url)).toBe(host));
