import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines, freshStore } from '../../testing/databases/databases.ts';
import type { Store } from '../database.ts';
import { keepReference } from '../operators/error-references.ts';
import { findAccounts } from './find-accounts.ts';
import { indexAllChanges } from './search-keys.ts';

/** As code without search keys does it. */
const add = (store: Store, id: string, { email = `${id}@mail.example`, name = '', organization = '', phone = '' }) =>
  sql`insert into accounts (id, email, email_key, name, organization, phone, locale, password_hash, password_changed_at, created_at)
    values (${id}, ${email}, ${email}, ${name}, ${organization}, ${phone}, 'en', 'x', 1, 1)`.execute(store);

const addComputer = (store: Store, id: string, owner: string, name: string) =>
  sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
    values (${id}, ${owner}, ${name}, 'linux', ${id}, 1, 1, '')`.execute(store);

async function find(store: Store, text: string, { wholeContacts = false, limit = 50, filter = {} } = {}) {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const asked = { text, filter, wholeContacts, limit, cursor, origin: 'https://door.example' };
    const page = await findAccounts(store, asked);
    expect(page.accounts.length).toBeLessThanOrEqual(limit);
    pages.push(page.accounts.map(({ id }) => id).join(' '));
    cursor = page.next;
  } while (cursor !== undefined);
  return pages.join(' ').trim();
}

describe.each(engines)('a search for people, on %s,', async (engine) => {
  const store = await freshStore(engine);
  await add(store, 'anna', {
    email: 'anna.schmidt@quark.example',
    name: 'Anna Maria Schmidt-Ødegård',
    organization: 'Quarkwerke GmbH',
    phone: '+4915771234567',
  });
  await add(store, 'taro', { name: '山田太郎', phone: '+81312345678' });
  await add(store, 'jose', { name: 'José O’Brien', phone: '+34600111222', organization: 'Anna & Co' });
  await addComputer(store, 'c1', 'taro', 'Küche PC');

  test.each([
    ['anna.schmidt@quark.example', 'anna'],
    ['ANNA.SCHM', 'anna'],
    ['anna.schmidt@qu', 'anna'],
    ['@quark.example', 'anna'],
    ['quark.ex', 'anna'],
    ['mail.example', 'jose taro'],
    ['schmidt', 'anna'],
    ['Maria Schmidt', 'anna'],
    ['schmidt anna', 'anna'],
    ['odegard schmi', 'anna'],
    ['an', 'anna jose'],
    ['quarkwerke gm', 'anna'],
    ['jose', 'jose'],
    ["o'brien JOSÉ", 'jose'],
    ['太郎', 'taro'],
    ['4567', 'anna'],
    ['01577 1234567', 'anna'],
    ['0049 (0)1577-12', 'anna'],
    ['+49 1577', 'anna'],
    ['0157 7', 'anna'],
    ['03 123', 'taro'],
    ['1577', ''],
    ['567', ''],
    ['kuche', 'taro'],
    ['chmidt', ''],
    ['%', ''],
    ['_\\', ''],
    ['a\0', 'anna jose'],
  ])('finds for %j %j', async (text, ids) => {
    expect(await find(store, text)).toBe(ids);
    expect(await find(store, text, { limit: 1 })).toBe(ids);
  });

  test('finds by the reference of an error, and by the last place', async () => {
    await sql`insert into sessions (id, account_id, generation, created_at, rotated_at, expires_at, late_answers, shared, ip, user_agent)
      values ('s1', 'jose', 0, 1, 1, 1, 0, 0, '', '')`.execute(store);
    await keepReference(store, { reference: '0F9A3C61B2', sessionId: 's1', at: 1 });
    await keepReference(store, { reference: '0F9A3C61B3', sessionId: 'of nobody', at: 1 });
    const long = `/devices/?q=${'x'.repeat(300)}`;
    const place = async (id: string, at: string) =>
      sql`update accounts set last_place = ${at} where id = ${id}`.execute(store);
    await place('anna', '/de/devices/7/');
    await place('taro', '/de/devices/7/');
    await place('jose', `${long}y`);
    expect(await find(store, ' 0f9a3c61b2')).toBe('jose');
    expect(await find(store, '0F9A3C61B3')).toBe('');
    expect(await find(store, '/de/devices/7/', { limit: 1 })).toBe('anna taro');
    expect(await find(store, 'https://door.example/de/devices/7/')).toBe('anna taro');
    expect(await find(store, 'https://other.example/de/devices/7/')).toBe('');
    expect([await find(store, `${long}y`), await find(store, long)]).toEqual(['jose', '']);
  });

  test('applies a filter', async () => {
    expect(await find(store, 'anna', { filter: { since: 2 } })).toBe('');
    expect(await find(store, 'taro', { filter: { locked: true } })).toBe('');
  });

  test.each([
    ['anna.schmidt@quark.example', 'anna'],
    ['+49 1577 1234567', 'anna'],
    ['schmidt', 'anna'],
    ['@quark.example', 'anna'],
    ['Küche', 'taro'],
    ['anna.schmidt@quark', ''],
    ['anna.schmidt@quark.exampl', ''],
    ['01577 1234567', ''],
    ['1234567', ''],
    ['+49 1577', ''],
    ['4567', ''],
    ['anna.schmid', 'anna'],
    ['anna.smith', ''],
  ])('by whole addresses and numbers only finds for %j %j', async (text, ids) => {
    expect(await find(store, text, { wholeContacts: true })).toBe(ids);
  });

  test('follows every change, also in plain SQL, and of many accounts the newest first', async () => {
    await add(store, 'bert', { name: 'Bert' });
    expect(await find(store, 'bert')).toBe('bert');
    await sql`update accounts set name = 'Berta', phone = '+4930123456' where id = 'bert'`.execute(store);
    await addComputer(store, 'c2', 'bert', 'Laptop');
    expect([await find(store, 'bert '), await find(store, '123456'), await find(store, 'laptop')]).toEqual([
      'bert',
      'bert',
      'bert',
    ]);
    await sql`update computers set name = 'Desk' where id = 'c2'`.execute(store);
    expect([await find(store, 'laptop'), await find(store, 'desk')]).toEqual(['', 'bert']);
    await sql`delete from computers where id = 'c2'`.execute(store);
    expect(await find(store, 'desk')).toBe('');
    await addComputer(store, 'c3', 'bert', 'Desk');
    await sql`delete from accounts where id = 'bert'`.execute(store);
    expect(await find(store, 'bert')).toBe('');
    expect(await store.selectFrom('search_changes').selectAll().where('account_id', '=', 'bert').execute()).toEqual([]);
    for (let count = 0; count < 250; count += 1) await add(store, `many${count}`, { name: 'Zoe' });
    await add(store, 'newest', { name: 'Zoe Last' });
    expect(await find(store, 'zoe last')).toBe('newest');
    await indexAllChanges(store);
    expect((await find(store, 'zoe', { limit: 60 })).split(' ')).toHaveLength(251);
  });

  test('applies a filter to a large domain, whether few or many pass it', async () => {
    const ids = Array.from({ length: 2100 }, (_, at) => `b${String(at).padStart(4, '0')}`);
    for (let from = 0; from < ids.length; from += 300) {
      const rows = ids
        .slice(from, from + 300)
        .map((id, at) => sql`(${id}, ${id}, ${`${id}@big.example`}, '', '', 'en', 'x', 1, 1, ${at === 0 ? 1 : null})`);
      await sql`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at,
        created_at, locked_at) values ${sql.join(rows)}`.execute(store);
    }
    await indexAllChanges(store);
    const locked = ids.filter((_, at) => at % 300 === 0);
    const others = ids.filter((_, at) => at % 300 !== 0);
    expect(await find(store, '@big.example', { filter: { locked: true }, limit: 3 })).toBe(locked.join(' '));
    expect(await find(store, '@big.example', { filter: { locked: false }, limit: 700 })).toBe(others.join(' '));
    expect(await find(store, '@mail.example', { filter: { locked: true } })).toBe('');
  });
});
