import { expect, test } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { outages } from '../../testing/databases/outages.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { openFairShares } from './rate-limiter.ts';

const from = (source: string) => ({ source, networks: [] });
const refused = expect.objectContaining({ code: 'try_again_later' });

test('an origin may have more than its share until there is no room; others then still get theirs', () => {
  let at = minutes(100);
  const shares = openFairShares({ share: 2, capacity: 5, within: minutes(15), now: () => at });
  for (let time = 0; time < 5; time += 1) shares.admit(from('office'));
  expect(() => shares.admit(from('office'))).toThrow(refused);
  for (let time = 0; time < 2; time += 1) shares.admit(from('home'));
  expect(() => shares.admit(from('home'))).toThrow(refused);
  at += minutes(15);
  for (let time = 0; time < 5; time += 1) shares.admit(from('home'));
  expect(() => shares.admit(from('home'))).toThrow(refused);
});

const paths = ['/auth/recovery', '/auth/code'] as const;

// Concurrent, because a request waits ten seconds for a database that does not respond.
test.concurrent.for(engines)(
  'on %s, a source above a limit is refused without the database, and other sources are not',
  async (engine, { expect }) => {
    const { database, begin, end } = await outages[engine]();
    const { dataDir: DATA_DIR, databaseUrl = '' } = database;
    const settings = { DATA_DIR, DATABASE_URL: databaseUrl, RECOVERY_MAILS_PER_ADDRESS: '5' };
    const server: TestServer = await openTestServer('sqlite', settings, { timeBudget: seconds(10) });
    const person = await register(server);
    const stranger = server.client({ ip: '203.0.113.5' });
    const other = server.client({ ip: '203.0.113.6' });
    await other.get('/auth/csrf');
    const ask = (browser: typeof stranger, email: string) =>
      Promise.all(paths.map(async (path) => statusAndCode(await browser.post(path, { email, locale: 'en' }))));
    const both = (response: string) => paths.map(() => response);
    for (let at = 0; at < 5; at += 1) expect(await ask(stranger, `nobody${at}@example.com`)).toEqual(both('202'));
    expect(await ask(stranger, 'nobody5@example.com')).toEqual(both('429 too_many_requests'));
    // A device that the account knows has limits of its own, also behind this address.
    const neighbor = await register(server);
    const askBehind = (browser: typeof stranger, email: string) =>
      Promise.all(
        paths.map(async (path) =>
          statusAndCode(await browser.post(path, { email, locale: 'en' }, { 'x-forwarded-for': '203.0.113.5' })),
        ),
      );
    expect(await askBehind(neighbor.browser, neighbor.email)).toEqual(both('202'));
    expect(await askBehind(neighbor.browser, 'nobody6@example.com')).toEqual(both('429 too_many_requests'));
    begin();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, at) => ask(stranger, `nobody${at}@example.com`)),
    );
    expect(new Set(responses.flat())).toEqual(new Set(['429 too_many_requests']));
    expect(await ask(other, person.email)).toEqual(both('503 try_again_later'));
    end();
    await expect.poll(() => ask(other, person.email)).toEqual(both('202'));
    server.forward(hours(1) + minutes(1));
    await expect.poll(() => ask(stranger, person.email)).toEqual(both('202'));
  },
);
