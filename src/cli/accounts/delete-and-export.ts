import { deleteAccount } from '../../operations/delete-account.ts';
import { exportAccount } from '../../operations/export-account.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { operationOf, reasonOption } from '../operator.ts';
import { withAccount } from './account.ts';

export const accountsDelete: StoreCommand = {
  name: ['accounts', 'delete'],
  usage: 'accounts delete WHO --yes [--reason TEXT]',
  summary: 'delete an account and all data of its owner immediately and permanently, and notify the owner by email',
  options: { yes: { type: 'boolean' }, ...reasonOption },
  run: (given) =>
    withAccount({ ...given, command: 'accounts delete' }, async (account) => {
      const { id, email } = account;
      if (given.options.yes !== true)
        throw new UsageError(`accounts delete ${email}: this cannot be undone; to confirm, add --yes`);
      await deleteAccount(operationOf(given), account);
      return { text: `${email}: deleted`, data: { id, deleted: true } };
    }),
};

export const accountsExport: StoreCommand = {
  name: ['accounts', 'export'],
  usage: 'accounts export WHO [--reason TEXT]',
  summary: 'print everything stored about an account, as its owner can download it',
  options: reasonOption,
  run: (given) =>
    withAccount({ ...given, command: 'accounts export' }, async (account) => {
      const data = await exportAccount(operationOf(given), account);
      return { text: JSON.stringify(data, null, 2), data };
    }),
};
