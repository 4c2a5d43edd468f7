import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { days, minutes } from '../contract/units.ts';
import { openKeyEncryption } from '../security/macs.ts';
import { accountParts } from '../server/wings.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import type { Store } from '../store/database.ts';
import { heldRoleOf, listOperators } from '../store/operators/operators.ts';
import { engines, freshStore, storePerson } from '../testing/databases/databases.ts';
import { deleteAccount, lockAccount } from './accounts.ts';
import type { Operation } from './operation.ts';
import { acceptInvitation, addOperatorKey, changeRole, inviteOperator, removeOperator } from './operators.ts';
import { planDeletion } from './people.ts';

const secrets = openKeyEncryption('k'.repeat(43));
const began = Date.UTC(2026, 10, 1);
const operator = { kind: 'command', actor: 'root', origin: 'host', reason: undefined } as const;

async function open(engine: (typeof engines)[number]) {
  const store = await freshStore(engine);
  const operation: Operation = { store, operator, now: began };
  return { store, operation };
}

const person = (store: Store, name: string) =>
  storePerson(store, { id: name, name, email_proven_at: began, second_step_at: began });

const accept = ({ store, ...operation }: Operation, account: AccountsTable, secret: string) =>
  store
    .transaction()
    .execute((trx) => acceptInvitation(trx, operation, { account, sessionId: randomUUID(), secret, secrets }));

const invited = async (operation: Operation, { email }: AccountsTable) =>
  (await inviteOperator(operation, { email, role: 'support' })).invitation;

async function owner({ store, operation }: Awaited<ReturnType<typeof open>>, name: string) {
  const account = await person(store, name);
  await accept(
    operation,
    account,
    (await inviteOperator(operation, { email: account.email, role: 'owner' })).invitation,
  );
  return account;
}

const rolesIn = async (store: Store) =>
  (await listOperators(store)).map(({ account_id, role }) => `${account_id} ${role}`);

describe.each(engines)('operators, on %s,', (engine) => {
  test.each<[string, (invite: Operation) => Operation, string, string]>([
    ['too late', (one) => ({ ...one, now: began + minutes(30) }), 'ada', ''],
    ['by someone else', (one) => one, 'bob', ''],
    ['guessed', (one) => one, 'ada', 'x'],
  ])('do not accept an invitation %s', async (_name, at, who, guess) => {
    const { store, operation } = await open(engine);
    const accounts = { ada: await person(store, 'ada'), bob: await person(store, 'bob') };
    const { invitation: secret } = await inviteOperator(operation, { email: 'Ada@mail.example', role: 'owner' });
    const account = accounts[who as keyof typeof accounts];
    expect(await accept(at(operation), account, guess || secret)).toBeUndefined();
    expect(await rolesIn(store)).toEqual([]);
  });

  test('accept an invitation once, also if two requests do at the same moment; a second one voids the first', async () => {
    const { store, operation } = await open(engine);
    const ada = await person(store, 'ada');
    const { invitation: first } = await inviteOperator(operation, { email: ada.email, role: 'owner' });
    const { invitation: second } = await inviteOperator(operation, { email: ada.email, role: 'support' });
    const accepted = await Promise.all([first, second, second].map((secret) => accept(operation, ada, secret)));
    expect(accepted.filter((role) => role !== undefined)).toEqual(['support']);
    expect(await rolesIn(store)).toEqual(['ada support']);
  });

  test('always have an owner: the last one neither leaves nor gets another role', async () => {
    const opened = await open(engine);
    const { store, operation } = opened;
    const ada = await owner(opened, 'ada');
    const bob = await person(store, 'bob');
    expect(await changeRole(operation, { account: ada, role: 'viewer' })).toBe('last owner');
    expect(await removeOperator(operation, ada)).toBe('last owner');
    expect(await removeOperator(operation, bob)).toBe('no operator');
    const { invitation } = await inviteOperator(operation, { email: ada.email, role: 'viewer' });
    expect(await accept(operation, ada, invitation)).toBeUndefined();
    expect(await rolesIn(store)).toEqual(['ada owner']);
  });

  test('do not get a role back by an invitation of before', async () => {
    const opened = await open(engine);
    const { store, operation } = opened;
    const [ada] = [await owner(opened, 'ada'), await owner(opened, 'bob')];
    const secret = await invited(operation, ada);
    await changeRole(operation, { account: ada, role: 'viewer' });
    expect(await accept(operation, ada, secret)).toBeUndefined();
    expect(await rolesIn(store)).toEqual(['ada viewer', 'bob owner']);
  });

  test.each<[string, (operation: Operation, account: AccountsTable) => Promise<unknown>]>([
    ['gets another role', (operation, account) => changeRole(operation, { account, role: 'support' })],
    [
      'accepts another role',
      async (operation, account) => accept(operation, account, await invited(operation, account)),
    ],
    ['is removed', removeOperator],
    ['is deleted', deleteAccount],
  ])('lose the keys and the invitations of an owner who %s', async (_name, happens) => {
    const opened = await open(engine);
    const { store, operation } = opened;
    const [ada] = [await owner(opened, 'ada'), await owner(opened, 'bob')];
    const byAda = { ...operation, operator: { ...operator, kind: 'operator', actor: ada.id } } as const;
    const key = { name: 'script', role: 'support', addresses: [], expiresAt: began + days(30) } as const;
    await addOperatorKey(byAda, key);
    await addOperatorKey(operation, key);
    await inviteOperator(byAda, { email: 'thief@mail.example', role: 'owner' });
    await happens(operation, ada);
    const keys = await store.selectFrom('operator_keys').select('revoked_at').orderBy('revoked_at').execute();
    expect(keys.map(({ revoked_at }) => revoked_at !== null).sort()).toEqual([false, true]);
    expect(await store.selectFrom('operator_invitations').select('hash').execute()).toEqual([]);
    const revoked = store.selectFrom('audit_log').select('actor_kind').where('action', '=', 'operator_key_revoked');
    expect(await revoked.execute()).toEqual([{ actor_kind: 'service' }]);
  });

  test('lose also the key that an owner is adding at the moment of a lock', async () => {
    const opened = await open(engine);
    const { store, operation } = opened;
    const [ada] = [await owner(opened, 'ada'), await owner(opened, 'bob')];
    let lock: Promise<unknown> = Promise.resolve();
    const confirm = async () => {
      lock = lockAccount({ ...operation, parts: accountParts }, ada);
      await Promise.race([lock, pause(200)]);
    };
    const byAda = { ...operation, operator: { ...operator, kind: 'operator', actor: ada.id, confirm } } as const;
    await addOperatorKey(byAda, { name: 'script', role: 'support', addresses: [], expiresAt: began + days(30) });
    await lock;
    const keys = await store.selectFrom('operator_keys').select('revoked_at').execute();
    expect(keys).toEqual([{ revoked_at: began }]);
  });

  test('always have an owner, also when two owners demote, remove or delete each other at the same moment', async () => {
    for (const change of [
      (operation: Operation, account: AccountsTable) => changeRole(operation, { account, role: 'viewer' }),
      removeOperator,
      (operation: Operation, { id }: AccountsTable) =>
        planDeletion({ ...operation, parts: accountParts }, { id, config: { DELETION_GRACE_DAYS: 7 } }),
      deleteAccount,
    ]) {
      const opened = await open(engine);
      const { store, operation } = opened;
      const [ada, bob] = [await owner(opened, 'ada'), await owner(opened, 'bob')];
      const by = (who: AccountsTable): Operation => ({
        ...operation,
        operator: {
          ...operator,
          confirm: async (trx) => {
            if ((await heldRoleOf(trx, who.id)) !== 'owner') throw new Error('no owner');
          },
        },
      });
      await Promise.allSettled([change(by(ada), bob), change(by(bob), ada)]);
      const staying = store.selectFrom('operators').innerJoin('accounts', 'accounts.id', 'operators.account_id');
      const left = await staying.select('id').where('role', '=', 'owner').where('delete_at', 'is', null).execute();
      expect(left).toHaveLength(1);
      const [last = { id: '' }] = left;
      expect(await deleteAccount(operation, last.id === ada.id ? ada : bob)).toBe(false);
    }
  });
});
