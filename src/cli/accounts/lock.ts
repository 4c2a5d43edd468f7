import { shutOut } from '../../access/shut-out.ts';
import { sha256 } from '../../security/secrets.ts';
import { passwordLock, unlock } from '../../store/access/lockouts.ts';
import { type AccountsTable, holdAccount, setLock } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { StoreCommand } from '../command.ts';
import { operator, withAccount } from './account.ts';

export const accountsLock: StoreCommand = {
  name: ['accounts', 'lock'],
  usage: 'accounts lock WHO',
  summary: 'let nobody sign in to an account, whatever password they know or mail they read, and end its sessions',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts lock', positionals }, async (account) => {
      const { id, email } = account;
      const ended = await store.transaction().execute(async (trx) => {
        await holdAccount(trx, id);
        await setLock(trx, { accountId: id, at: now });
        return endAll(trx, { account, cause: 'locked', now });
      });
      return { text: `${email}: locked, ${ended} sessions ended`, data: { id, locked: true, ended } };
    }),
};

export const accountsUnlock: StoreCommand = {
  name: ['accounts', 'unlock'],
  usage: 'accounts unlock WHO',
  summary: 'open an account again, whether an operator or wrong passwords have locked it',
  run: ({ store, positionals }) =>
    withAccount({ store, command: 'accounts unlock', positionals }, async ({ id, email, email_key }) => {
      await store.transaction().execute(async (trx) => {
        await holdAccount(trx, id);
        await setLock(trx, { accountId: id, at: null });
        await unlock(trx, { emailHash: sha256(email_key), accountId: id });
        await trx.deleteFrom('lockouts').where('key', '=', passwordLock(id)).execute();
      });
      return { text: `${email}: open`, data: { id, locked: false } };
    }),
};

export const accountsEndSessions: StoreCommand = {
  name: ['accounts', 'end-sessions'],
  usage: 'accounts end-sessions WHO',
  summary: 'sign an account out everywhere',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts end-sessions', positionals }, async (account) => {
      const { id, email } = account;
      const ended = await store.transaction().execute(async (trx) => {
        await holdAccount(trx, id);
        return endAll(trx, { account, cause: 'sessions_ended', now });
      });
      return { text: `${email}: ${ended} sessions ended`, data: { id, ended } };
    }),
};

interface Ending {
  readonly account: AccountsTable;
  readonly cause: 'locked' | 'sessions_ended';
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function endAll(trx: StoreTransaction, { account, cause, now: at }: Ending): Promise<number> {
  const { sessions } = await shutOut(trx, { account, cause, at });
  if (sessions > 0) await recordActivity(trx, { accountId: account.id, at, kind: 'sessions_ended', visitor: operator });
  return sessions;
}
