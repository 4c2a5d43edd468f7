import { randomUUID } from 'node:crypto';
import { keepStep, repeatedStep } from '../access/once.ts';
import { type KeyRole, type OperatorRole, operatorKeyPrefix } from '../contract/operators.ts';
import { days, iso, isoOrNull } from '../contract/units.ts';
import { type KeyEncryption, randomSecret, sha256 } from '../security/macs.ts';
import { type AccountsTable, emailKey, lockAccountRow } from '../store/accounts/accounts.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import { doubtGivenBy } from '../store/operators/doubts.ts';
import {
  addKeyRow,
  deleteOperator,
  endGivenBy,
  heldRoleOf,
  invitationLifetime,
  invitations,
  isLastOwner,
  listKeys,
  listOperators,
  openInvitations,
  revokeKeyRow,
  roleOf,
  setOperator,
  voidInvitations,
} from '../store/operators/operators.ts';
import { actorNames, audit, masked, type Operation, type Operator } from './operation.ts';

/** The account of an operator who adds a key or an invitation: a lock of it waits, and then ends them. */
async function holdAdder(trx: StoreTransaction, { kind, actor }: Operator): Promise<string | null> {
  if (kind !== 'operator') return null;
  await lockAccountRow(trx, actor);
  return actor;
}

/** The page of the console that accepts an invitation. */
export const invitationLink = (publicUrl: string, invitation: string): string =>
  `${publicUrl}/console/invitation/?invitation=${invitation}`;

/** Invites the owner of an address, and voids earlier invitations to it. Returns its only copy. */
export const inviteOperator = (
  { store, ...operation }: Operation,
  { email, role }: { readonly email: string; readonly role: OperatorRole },
): Promise<{ readonly invitation: string; readonly expiresAt: number }> =>
  store.transaction().execute(async (trx) => {
    const secret = randomSecret(256);
    const added_by = await holdAdder(trx, operation.operator);
    await voidInvitations(trx, emailKey(email));
    await invitations.add(trx, {
      hash: sha256(secret),
      email_key: emailKey(email),
      role,
      created_at: operation.now,
      added_by,
    });
    await audit(trx, operation, { action: 'operator_invited', subject: `${masked(email)}: ${role}` });
    return { invitation: secret, expiresAt: operation.now + invitationLifetime };
  });

/** The invitations that nobody has accepted yet, and by whom they are. */
export async function describeInvitations(store: Store, now: number) {
  const open = await openInvitations(store, now);
  const by = (id: string | null) => ({ actor_kind: 'operator', actor: id ?? '' }) as const;
  const nameOf = await actorNames(
    store,
    open.map(({ added_by }) => by(added_by)),
  );
  return open.map(({ hash: id, email_key: email, role, created_at, added_by }) => ({
    ...{ id, email, role, expires_at: iso(created_at + invitationLifetime) },
    ...{ added_by, added_by_name: nameOf(by(added_by)) },
  }));
}

/** Revokes an invitation; false if there is none with this id that works. */
export const revokeInvitation = ({ store, ...operation }: Operation, id: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const revoked = await invitations.use(trx, { hash: id }, operation.now);
    if (!revoked) return false;
    const { email_key, role } = revoked;
    await audit(trx, operation, { action: 'operator_invitation_revoked', subject: `${masked(email_key)}: ${role}` });
    return true;
  });

interface Accepting {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly secret: string;
  readonly secrets: KeyEncryption;
}

/**
 * Makes the owner of the invited address an operator. Returns the role; undefined if the invitation is unknown, expired, for
 * another address, or used: but if its response was lost, the same session gets it again.
 */
export async function acceptInvitation(
  trx: StoreTransaction,
  operation: Omit<Operation, 'store'>,
  { account, sessionId, secret, secrets }: Accepting,
): Promise<OperatorRole | undefined> {
  const step = { name: 'accept_invitation', browser: sessionId, request: secret };
  const role = await takeInvitation(trx, operation, { account, secret });
  if (role !== undefined)
    await keepStep({ secrets }, trx, { step, accountId: account.id, result: role, at: operation.now });
  const given = role ?? (await repeatedStep<OperatorRole>({ secrets }, trx, { step, now: operation.now }));
  return given === (await roleOf(trx, account.id)) ? given : undefined;
}

async function takeInvitation(
  trx: StoreTransaction,
  operation: Omit<Operation, 'store'>,
  { account, secret }: Pick<Accepting, 'account' | 'secret'>,
): Promise<OperatorRole | undefined> {
  const presented = { hash: sha256(secret), email_key: account.email_key };
  const invitation = await invitations.use(trx, presented, operation.now);
  if (!invitation) return undefined;
  const { role } = invitation;
  if (role !== 'owner' && (await isLastOwner(trx, account.id))) return undefined;
  await giveRole(trx, { account, role, at: operation.now });
  await audit(trx, operation, {
    action: 'operator_added',
    accountId: account.id,
    subject: `${masked(account.email)}: ${role}`,
  });
  return role;
}

interface GivenRole {
  readonly account: AccountsTable;
  /** Undefined for none. */
  readonly role: OperatorRole | undefined;
  readonly at: number;
}

/** Gives a role instead of the former one. An invitation or a key of before does not bring that back. */
async function giveRole(trx: StoreTransaction, { account: { id, email_key }, role, at }: GivenRole): Promise<void> {
  const former = await roleOf(trx, id);
  if (role === undefined) await deleteOperator(trx, id);
  else await setOperator(trx, { account_id: id, role, added_at: at });
  await voidInvitations(trx, email_key);
  if (role === 'owner') return;
  await endGivenBy(trx, { accountId: id, keysSince: 0, at });
  // Only owners give to others what can be in doubt.
  if (former === 'owner') await doubtGivenBy(trx, { accountId: id, at });
}

type RoleChange = 'changed' | 'no operator' | 'last owner';

/** Changes the role of an operator; `last owner` if nobody else is one. */
export const changeRole = (
  { store, ...operation }: Operation,
  { account, role }: { readonly account: AccountsTable; readonly role: OperatorRole },
): Promise<RoleChange> =>
  store.transaction().execute(async (trx) => {
    const isLast = await isLastOwner(trx, account.id);
    const former = await heldRoleOf(trx, account.id);
    if (former === undefined) return 'no operator';
    if (role !== 'owner' && isLast) return 'last owner';
    if (role === former) return 'changed';
    await audit(trx, operation, {
      action: 'operator_role_changed',
      accountId: account.id,
      subject: `${masked(account.email)}: ${role}`,
    });
    await giveRole(trx, { account, role, at: operation.now });
    return 'changed';
  });

/** Removes an operator, whose account stays; `last owner` if nobody else is one. */
export const removeOperator = ({ store, ...operation }: Operation, account: AccountsTable): Promise<RoleChange> =>
  store.transaction().execute(async (trx) => {
    const isLast = await isLastOwner(trx, account.id);
    if ((await heldRoleOf(trx, account.id)) === undefined) return 'no operator';
    if (isLast) return 'last owner';
    await audit(trx, operation, { action: 'operator_removed', accountId: account.id, subject: masked(account.email) });
    await giveRole(trx, { account, role: undefined, at: operation.now });
    return 'changed';
  });

export const longestKeyLife = days(365);

interface NewKey {
  readonly name: string;
  readonly role: KeyRole;
  /** Ranges in CIDR notation; empty for any address. */
  readonly addresses: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Adds a key for the management API. Returns its id, and the only copy of the key. */
export const addOperatorKey = (
  { store, ...operation }: Operation,
  { name, role, addresses, expiresAt }: NewKey,
): Promise<{ readonly id: string; readonly key: string }> =>
  store.transaction().execute(async (trx) => {
    const key = operatorKeyPrefix + randomSecret(256);
    const id = randomUUID();
    await addKeyRow(trx, {
      id,
      hash: sha256(key),
      name,
      role,
      addresses: addresses.join(','),
      created_at: operation.now,
      expires_at: expiresAt,
      revoked_at: null,
      last_used_at: null,
      added_by: await holdAdder(trx, operation.operator),
    });
    await audit(trx, operation, { action: 'operator_key_added', subject: `${id} (${name}): ${role}` });
    return { id, key };
  });

/** Revokes a key, also for requests that have begun; false if there is none with this id that works. */
export const revokeOperatorKey = ({ store, ...operation }: Operation, id: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const revoked = await revokeKeyRow(trx, { id, at: operation.now });
    if (!revoked) return false;
    await audit(trx, operation, { action: 'operator_key_revoked', subject: `${revoked.id} (${revoked.name})` });
    return true;
  });

/** The operators, those of longest standing first. */
export const describeOperators = async (store: Store) =>
  (await listOperators(store)).map(({ account_id, email, name, role, added_at, second_step_at }) => ({
    id: account_id,
    email,
    name,
    role,
    added_at: iso(added_at),
    second_step: second_step_at !== null,
  }));

/** The keys, the newest first, without their hashes. */
export const describeKeys = async (store: Store) =>
  (await listKeys(store)).map(({ id, name, role, addresses, ...key }) => ({
    ...{ id, name, role, addresses: addresses === '' ? [] : addresses.split(',') },
    created_at: iso(key.created_at),
    expires_at: iso(key.expires_at),
    revoked_at: isoOrNull(key.revoked_at),
    last_used_at: isoOrNull(key.last_used_at),
  }));
