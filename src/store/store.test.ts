import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { days, hours, minutes, seconds } from '../contract/units.ts';
import {
  engines,
  freshStore,
  migratedDatabase,
  openTestStore,
  storePerson,
  withLongTimeouts,
  withPostgres,
} from '../testing/databases/databases.ts';
import { onFileEnd } from '../testing/file-cleanup.ts';
import { rememberDevice } from './access/devices.ts';
import {
  attemptFailed,
  attemptSucceeded,
  endLockouts,
  lockedUntil,
  lockoutOfAddress,
  lockoutOfDevice,
  reserveAttempt,
} from './access/lockouts.ts';
import { addSession, endOtherSessions, endSession, findSession, isLive, openRotations } from './access/sessions.ts';
import { emailKey, findAccountByEmail, replacePasswordHash } from './accounts/accounts.ts';
import { currentConsents, recordConsent } from './accounts/consents.ts';
import { addPromoCode, usePromoCode } from './accounts/promo-codes.ts';
import { executeAsynchronously } from './batching.ts';
import { cleanUp } from './clean-up.ts';
import { firstIdOf, openStore, orderedId, type Store } from './database.ts';
import { countRequest, refundHits } from './rate-limits.ts';

const now = Date.UTC(2026, 10, 21);

const addPerson = async (store: Store, email = `${randomUUID()}@example.com`) =>
  (await storePerson(store, { email, password_changed_at: now })).id;

const addSessionOf = async (store: Store, accountId: string): Promise<string> => {
  const id = randomUUID();
  const times = { created_at: now, expires_at: now + days(30) };
  const browser = { ip: '::1', user_agent: '', shared: 0, amr: 'pwd', acr: 'aal1', device_hash: null } as const;
  await store.transaction().execute((trx) => addSession(trx, { id, account_id: accountId, ...times, ...browser }));
  return id;
};

test.runIf(withPostgres)(
  'a connection with an abandoned query is not reused, so later acknowledged writes are stored',
  async () => {
    const database = await migratedDatabase('postgres');
    const store = openTestStore(database, { timeBudget: 5000 });
    const id = await addPerson(store);
    const stuck = store.transaction().execute(async (trx) => {
      await trx.updateTable('accounts').set({ name: 'Half' }).where('id', '=', id).execute();
      // Switch off the server's own limit, so that the statement goes on as if the server hung.
      await sql`set local statement_timeout = 0`.execute(trx);
      await sql`select pg_sleep(15)`.execute(trx);
    });
    const talking = setInterval(() => sql`select 1`.execute(store), 100);
    await expect(stuck).rejects.toThrow();
    clearInterval(talking);
    const others = await Promise.all(Array.from({ length: 10 }, () => addPerson(store)));
    const elsewhere = openTestStore(database);
    const seen = await elsewhere.selectFrom('accounts').select(['id', 'name']).execute();
    expect(seen.map((account) => account.id).sort()).toEqual([id, ...others].sort());
    expect(seen.map(({ name }) => name)).not.toContain('Half');
  },
);

describe.each(engines)('the store, on %s', async (engine) => {
  const database = await migratedDatabase(engine);
  const store = openStore(database, withLongTimeouts);
  onFileEnd(() => store.destroy());

  test('finds an address in any case, and returns times as the numbers that were stored', async () => {
    await addPerson(store, 'Ärger.I@Example.com');
    const found = { email: 'Ärger.I@Example.com', created_at: 0, password_changed_at: now };
    expect(await findAccountByEmail(store, 'äRGER.i@eXAMPLE.COM')).toMatchObject(found);
    await expect(addPerson(store, 'ärger.i@example.com')).rejects.toThrow('taken');
  });

  test.each([
    ['İstanbul@example.com', 'istanbul@example.com'],
    ['ırmak@example.com', 'irmak@example.com'],
    ['straße@example.com', 'strasse@example.com'],
  ])('%s is not %s', (one, other) => expect(emailKey(one)).not.toBe(emailKey(other)));

  test('different Unicode compositions of an address are the same', () =>
    expect(emailKey('a\u0308@example.com')).toBe(emailKey('Ä@example.com')));

  test('a transaction that fails stores nothing', async () => {
    const accountId = await addPerson(store);
    const attempt = store.transaction().execute(async (trx) => {
      await recordConsent(trx, { account_id: accountId, kind: 'offers', given: 1, locale: 'de', at: now });
      throw new Error('broken off');
    });
    await expect(attempt).rejects.toThrow('broken off');
    expect(await currentConsents(store, accountId)).toEqual([]);
  });

  test('a statement commits without an fsync for itself only, never within a transaction', async () => {
    const add = (id: string) =>
      sql<{ id: string }>`insert into limit_hits (id, key, at) values (${id}, 'asynchronous', 5) returning id`;
    const setting = sql<{ setting: string }>`select current_setting('synchronous_commit') as setting`;
    await store.connection().execute(async (one) => {
      if (engine === 'postgres') await sql`set synchronous_commit = on`.execute(one);
      const [row] = await executeAsynchronously(one, add('asynchronous'));
      expect(row).toMatchObject({ id: 'asynchronous' });
      if (engine === 'postgres') expect((await setting.execute(one)).rows).toEqual([{ setting: 'on' }]);
    });
    const within = store.transaction().execute((trx) => executeAsynchronously(trx, add('within')));
    await expect(within).rejects.toThrow('a transaction commits all of its changes');
  });

  test('the newest consent of a kind is in force', async () => {
    const accountId = await addPerson(store);
    for (const given of [1, 0] as const)
      await recordConsent(store, { account_id: accountId, kind: 'offers', given, locale: 'de', at: now });
    expect(await currentConsents(store, accountId)).toMatchObject([{ kind: 'offers', given: 0 }]);
  });

  test('replaces a hash only if it is unchanged', async () => {
    const accountId = await addPerson(store, 'hash@example.com');
    await replacePasswordHash(store, { accountId, from: 'hash', to: 'better' });
    await replacePasswordHash(store, { accountId, from: 'hash', to: 'stale' });
    expect(await findAccountByEmail(store, 'hash@example.com')).toMatchObject({ password_hash: 'better' });
  });

  test('of many parallel rotations of one generation, one happens; other sessions are unaffected', async () => {
    const accountId = await addPerson(store);
    const [one, two] = [await addSessionOf(store, accountId), await addSessionOf(store, accountId)];
    const rotate = openRotations(store);
    const results = await Promise.all([
      ...Array.from({ length: 30 }, () => rotate({ id: one, generation: 0, now })),
      rotate({ id: two, generation: 0, now }),
      rotate({ id: 'unknown', generation: 0, now }),
    ]);
    const happened = results.slice(0, 30).filter((result) => result !== undefined);
    expect(happened.length).toBeGreaterThan(0);
    const began = { created_at: now, proven_at: null, amr: 'pwd', acr: 'aal1' };
    for (const result of happened)
      expect(result).toEqual({ ...began, id: one, generation: 1, account_id: accountId, shared: 0 });
    expect(await findSession(store, one)).toMatchObject({ generation: 1 });
    expect(results.slice(30)).toEqual([
      { ...began, id: two, generation: 1, account_id: accountId, shared: 0 },
      undefined,
    ]);
  });

  test('an older generation does not benefit from a parallel rotation', async () => {
    const id = await addSessionOf(store, await addPerson(store));
    await store.updateTable('sessions').set({ generation: 7 }).where('id', '=', id).execute();
    const rotate = openRotations(store);
    const [stale, current] = await Promise.all([
      rotate({ id, generation: 2, now }),
      rotate({ id, generation: 7, now }),
    ]);
    expect([stale, current?.generation]).toEqual([undefined, 8]);
  });

  test.each([
    [
      'ended',
      async (store: Store, id: string) => void (await endSession(store, { id, reason: 'signed_out', at: now })),
      now,
    ],
    ['idle', async () => undefined, now + days(14)],
    [
      'expired',
      async (store: Store, id: string) =>
        void (await store.updateTable('sessions').set({ expires_at: now }).where('id', '=', id).execute()),
      now,
    ],
  ])('a session that is %s does not rotate', async (_name, change, at) => {
    const id = await addSessionOf(store, await addPerson(store));
    await change(store, id);
    expect(await openRotations(store)({ id, generation: 0, now: at })).toBeUndefined();
    const session = await findSession(store, id);
    expect(session && isLive(session, at)).toBe(false);
  });

  test('a session ends once, with its first reason', async () => {
    const accountId = await addPerson(store);
    const id = await addSessionOf(store, accountId);
    expect(await endSession(store, { id, reason: 'signed_out', at: now })).toBe(true);
    expect(await endSession(store, { id, reason: 'reused', at: now })).toBe(false);
    const all = { accountId, except: '', reason: 'password_changed', at: now } as const;
    await store.transaction().execute((trx) => endOtherSessions(trx, all));
    expect(await findSession(store, id)).toMatchObject({ end_reason: 'signed_out' });
  });

  describe('a lockout', () => {
    test('counts pending attempts toward the allowance, and a success resets it', async () => {
      const key = randomUUID();
      const states = await Promise.all(Array.from({ length: 8 }, () => reserveAttempt(store, key, now)));
      expect(states.map(({ state }) => state).sort()).toEqual([...Array(5).fill('reserved'), ...Array(3).fill('wait')]);
      await attemptSucceeded(store, key);
      expect(await reserveAttempt(store, key, now)).toEqual({ state: 'reserved' });
    });

    test('counts attempts without an outcome as failures', async () => {
      const key = randomUUID();
      for (let time = 0; time < 5; time += 1) await reserveAttempt(store, key, now);
      expect(await reserveAttempt(store, key, now + seconds(31))).toEqual({ state: 'reserved' });
      expect(await attemptFailed(store, key, now + seconds(31))).toBe(now + seconds(31) + minutes(2));
    });

    test('forgets failures after twelve hours', async () => {
      const key = randomUUID();
      for (let time = 0; time < 4; time += 1) {
        await reserveAttempt(store, key, now);
        await attemptFailed(store, key, now);
      }
      await reserveAttempt(store, key, now + hours(12));
      expect(await attemptFailed(store, key, now + hours(12))).toBe(0);
    });

    test('is removed by unlocking for the address and each device of the account, but not for other accounts', async () => {
      const [account, other] = [await addPerson(store), await addPerson(store)];
      const known = [
        [account, 'x'],
        [account, 'y'],
        [other, 'x'],
      ] as const;
      for (const [accountId, tokenHash] of known) await rememberDevice(store, { tokenHash, accountId, at: now });
      const locks = [
        lockoutOfAddress('a@example.com'),
        ...known.map(([accountId, hash]) => lockoutOfDevice(accountId, hash)),
      ];
      for (const lock of locks) {
        for (let time = 0; time < 5; time += 1) {
          await reserveAttempt(store, lock, now);
          await attemptFailed(store, lock, now);
        }
      }
      await endLockouts(store, { emailHash: 'a@example.com', accountId: account, secondStep: true });
      const open = await Promise.all(locks.map(async (lock) => (await lockedUntil(store, lock, now)) === 0));
      expect(open).toEqual([true, true, true, false]);
    });
  });

  test('a limit accepts exactly its number of requests in any window, even in parallel', async () => {
    const key = randomUUID();
    const count = async (at: number) => {
      const counted = await countRequest(store, [{ key, limit: 3, within: hours(1) }], at);
      return counted.state === 'counted' ? 0 : counted.freeAt;
    };
    const responses = await Promise.all(Array.from({ length: 10 }, (_, at) => count(now + at)));
    expect(responses.filter((response) => response === 0)).toHaveLength(3);
    expect(Math.max(...responses)).toBeLessThanOrEqual(now + hours(1) + 10);
    expect(await count(now + hours(1) + 10)).toBe(0);
  });

  test('does not count against any of several limits if one is reached, and refunds a request without effect', async () => {
    const [narrow, wide] = [
      { key: randomUUID(), limit: 1, within: hours(1) },
      { key: randomUUID(), limit: 2, within: hours(1) },
    ];
    const first = await countRequest(store, [narrow, wide], now);
    expect(await countRequest(store, [wide, narrow], now)).toEqual({ state: 'refused', freeAt: now + hours(1) });
    expect(await countRequest(store, [wide], now)).toMatchObject({ state: 'counted' });
    await refundHits(store, first.state === 'counted' ? first.hits : []);
    expect(await countRequest(store, [narrow, wide], now)).toMatchObject({ state: 'counted' });
  });

  test('the clean-up deletes outdated rows and keeps current ones', async () => {
    const store = await freshStore(engine);
    const accountId = await addPerson(store);
    const old = await addSessionOf(store, accountId);
    await store
      .updateTable('sessions')
      .set({ expires_at: now - days(31) })
      .where('id', '=', old)
      .execute();
    const young = await addSessionOf(store, accountId);
    await countRequest(store, [{ key: 'old', limit: 1, within: hours(1) }], now - days(2));
    await countRequest(store, [{ key: 'young', limit: 1, within: hours(1) }], now);
    for (const time of [now - days(366), now])
      await store
        .insertInto('activity')
        .values({ id: firstIdOf(time), account_id: accountId, at: time, kind: 'signed_in', ip: '', user_agent: '' })
        .execute();
    await rememberDevice(store, { tokenHash: 'shared', accountId, at: now - days(366) });
    await rememberDevice(store, { tokenHash: 'shared', accountId: await addPerson(store), at: now });
    await reserveAttempt(store, 'forgotten', now - days(2));
    await reserveAttempt(store, 'fresh', now);
    expect(await cleanUp(store, { now, activityKept: days(365), others: [] })).toBe(5);
    expect(await cleanUp(store, { now, activityKept: days(365), others: [] })).toBe(0);
    expect(await findSession(store, young)).toBeDefined();
    expect(await store.selectFrom('activity').select('at').execute()).toEqual([{ at: now }]);
    expect(await store.selectFrom('devices').select('last_seen_at').execute()).toEqual([{ last_seen_at: now }]);
    expect(await store.selectFrom('limit_hits').select('key').execute()).toEqual([{ key: 'young' }]);
    expect(await store.selectFrom('lockouts').select('key').execute()).toEqual([{ key: 'fresh' }]);
  });

  test('parallel uses of a promo code never exceed its number of uses', async () => {
    expect(await addPromoCode(store, { code: 'spring', uses: 3, until: null, at: now })).toBe(true);
    expect(await addPromoCode(store, { code: 'SPRING', uses: 9, until: null, at: now })).toBe(false);
    const use = () => store.transaction().execute((trx) => usePromoCode(trx, 'Spring', now));
    const used = await Promise.all(Array.from({ length: 10 }, use));
    expect(used.filter((code) => code === 'SPRING')).toHaveLength(3);
  });
});

test('returns ids in order, thousands in a millisecond, even after the clock is set back', () => {
  const ids = [2_000_000_000_000, 2_000_000_000_000, 1_000_000_000_000].flatMap((now) =>
    Array.from({ length: 5000 }, () => orderedId(now)),
  );
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
