import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findAccounts } from '../../store/accounts/find-accounts.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

test('the reference of an error leads to the person who saw it, and to nobody for strangers', async () => {
  const server = await openTestServer('sqlite');
  const { email, browser } = await register(server);
  await sql`drop table activity`.execute(server.store);
  const find = async (text: string) => {
    const search = { text, filter: {}, wholeContacts: true, origin: server.config.PUBLIC_URL, limit: 9 };
    return (await findAccounts(server.store, search)).accounts.map((account) => account.email);
  };
  const { status, headers } = await browser.get('/account/activity');
  expect(status).toBe(500);
  await expect.poll(() => find(headers.get('x-request-id') ?? '')).toEqual([email]);
  const refused = await server.client().get('/account/activity');
  expect(await find(refused.headers.get('x-request-id') ?? '')).toEqual([]);
});
