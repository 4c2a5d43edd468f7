import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { challengeLifetime } from '../contract/sign-in/admission.ts';
import { enrolmentLifetime, enrolments } from '../devices/store/computers.ts';
import { engines, freshStore, storePerson } from '../testing/databases/databases.ts';
import { challenges } from './access/passkeys.ts';
import { mailCodes } from './access/sign-in-codes.ts';
import type { Store } from './database.ts';

const now = Date.UTC(2026, 10, 21);

const addPerson = async (store: Store) => (await storePerson(store)).id;

/** The same secret in a table that keeps used rows, and in one that deletes them. */
const kinds = [
  {
    kind: 'kept',
    lifetime: enrolmentLifetime,
    add: (store: Store, account_id: string, hash: string) =>
      enrolments.add(store, { code_hash: hash, account_id, created_at: now }),
    use: (store: Store, hash: string, at: number) => enrolments.use(store, { code_hash: hash }, at),
    find: (store: Store, hash: string, at: number) => enrolments.find(store, { code_hash: hash }, at),
    void: (store: Store, accountId: string) => enrolments.void(store, accountId, now),
  },
  {
    kind: 'deleted',
    lifetime: challengeLifetime,
    add: (store: Store, account_id: string, hash: string) =>
      challenges.add(store, {
        ...{ hash, purpose: 'step_up', browser_hash: 'b', account_id, session_id: null, automatic: 0 },
        created_at: now,
      }),
    use: (store: Store, hash: string, at: number) => challenges.use(store, { hash, session_id: null }, at),
    find: (store: Store, hash: string, at: number) => challenges.find(store, { hash, session_id: null }, at),
    void: (store: Store, accountId: string) => challenges.void(store, accountId),
  },
] as const;

describe.each(engines)('on %s', async (engine) => {
  const store = await freshStore(engine);

  describe.each(kinds)('a secret whose used row is $kind', ({ lifetime, ...secrets }) => {
    test('works for exactly one of several parallel callers, and never again', async () => {
      const hash = randomUUID();
      const accountId = await addPerson(store);
      await secrets.add(store, accountId, hash);
      expect(await secrets.find(store, hash, now)).toMatchObject({ account_id: accountId });
      const uses = await Promise.all(Array.from({ length: 5 }, () => secrets.use(store, hash, now)));
      expect(uses.filter((used) => used?.account_id === accountId)).toHaveLength(1);
      expect(await secrets.use(store, hash, now)).toBeUndefined();
      expect(await secrets.find(store, hash, now)).toBeUndefined();
    });

    test('expires to the millisecond', async () => {
      const hash = randomUUID();
      await secrets.add(store, await addPerson(store), hash);
      expect(await secrets.use(store, hash, now + lifetime)).toBeUndefined();
      expect(await secrets.use(store, hash, now + lifetime - 1)).toBeDefined();
    });

    test('is void with all others of its account', async () => {
      const hashes = [randomUUID(), randomUUID()];
      const [person, other] = [await addPerson(store), await addPerson(store)];
      for (const hash of hashes) await secrets.add(store, person, hash);
      const kept = randomUUID();
      await secrets.add(store, other, kept);
      await secrets.void(store, person);
      for (const hash of hashes) expect(await secrets.use(store, hash, now)).toBeUndefined();
      expect(await secrets.use(store, kept, now)).toBeDefined();
    });
  });

  test('a secret that is presented with another value stays unused', async () => {
    const hash = randomUUID();
    const [, { add }] = kinds;
    await add(store, await addPerson(store), hash);
    for (const other of [{ purpose: 'create' }, { browser_hash: 'c' }, { account_id: null }] as const)
      expect(await challenges.use(store, { hash, ...other }, now)).toBeUndefined();
    expect(await challenges.use(store, { hash, purpose: 'step_up', browser_hash: 'b' }, now)).toBeDefined();
  });

  test('the use of one emailed code voids the others of the account', async () => {
    const [account_id, ids] = [await addPerson(store), [randomUUID(), randomUUID()]];
    const code = { email_key: 'a@example.com', account_id, outbox_id: null, proof: '', attempts_left: 3 };
    for (const id of ids) await mailCodes.add(store, { id, ...code, created_at: now });
    expect(await mailCodes.use(store, { id: ids[0] as string }, now)).toBeDefined();
    expect(await mailCodes.use(store, { id: ids[1] as string }, now)).toBeUndefined();
  });
});
