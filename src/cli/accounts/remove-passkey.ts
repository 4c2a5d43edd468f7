import { removePasskey } from '../../operations/remove-passkey.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { operationOf, reasonOption } from '../operator.ts';
import { withAccount } from './account.ts';

export const accountsRemovePasskey: StoreCommand = {
  name: ['accounts', 'remove-passkey'],
  usage: 'accounts remove-passkey WHO --id ID [--reason TEXT]',
  summary: 'remove a passkey of an account by the id that `accounts show` lists, and notify the owner by email',
  options: { id: { type: 'string' }, ...reasonOption },
  run: (given) =>
    withAccount({ ...given, command: 'accounts remove-passkey' }, async (account) => {
      const id = String(given.options.id ?? '');
      if (id === '') throw new UsageError('accounts remove-passkey WHO --id ID: `accounts show WHO` lists the ids');
      const passkey = await removePasskey(operationOf(given), { account, id });
      return passkey
        ? { text: `${account.email}: passkey ${passkey.name} removed`, data: { id: account.id, removed: true } }
        : { text: `${account.email}: no such passkey`, data: { id: account.id, removed: false }, failed: true };
    }),
};
