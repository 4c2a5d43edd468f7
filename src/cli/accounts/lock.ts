import { endSessions } from '../../operations/end-sessions.ts';
import { lockAccount, unlockAccount } from '../../operations/lock-account.ts';
import type { StoreCommand } from '../command.ts';
import { operationOf, reasonOption } from '../operator.ts';
import { counted } from '../readable.ts';
import { withAccount } from './account.ts';

export const accountsLock: StoreCommand = {
  name: ['accounts', 'lock'],
  usage: 'accounts lock WHO [--reason TEXT]',
  summary: 'block all sign-in methods of an account until it is unlocked, and end its sessions',
  options: reasonOption,
  run: (given) =>
    withAccount({ ...given, command: 'accounts lock' }, async (account) => {
      const ended = await lockAccount(operationOf(given), account);
      return {
        text: `${account.email}: locked, ${counted(ended, 'session')} ended`,
        data: { id: account.id, locked: true, ended },
      };
    }),
};

export const accountsUnlock: StoreCommand = {
  name: ['accounts', 'unlock'],
  usage: 'accounts unlock WHO [--reason TEXT]',
  summary: 'unlock an account, whether an operator or wrong passwords locked it',
  options: reasonOption,
  run: (given) =>
    withAccount({ ...given, command: 'accounts unlock' }, async (account) => {
      await unlockAccount(operationOf(given), account);
      return { text: `${account.email}: unlocked`, data: { id: account.id, locked: false } };
    }),
};

export const accountsEndSessions: StoreCommand = {
  name: ['accounts', 'end-sessions'],
  usage: 'accounts end-sessions WHO [--reason TEXT]',
  summary: 'sign an account out everywhere',
  options: reasonOption,
  run: (given) =>
    withAccount({ ...given, command: 'accounts end-sessions' }, async (account) => {
      const ended = await endSessions(operationOf(given), account);
      return { text: `${account.email}: ${counted(ended, 'session')} ended`, data: { id: account.id, ended } };
    }),
};
