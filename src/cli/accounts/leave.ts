import { deleteForGood } from '../../journeys/account/leaving/delete-account.ts';
import { describeAll } from '../../journeys/account/leaving/export-account.ts';
import { holdAccount } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { operator, withAccount } from './account.ts';

export const accountsDelete: StoreCommand = {
  name: ['accounts', 'delete'],
  usage: 'accounts delete WHO --yes',
  summary: 'delete an account and all that is known of its owner, at once; they are told by mail',
  options: { yes: { type: 'boolean' } },
  run: ({ store, now, positionals, options }) =>
    withAccount({ store, command: 'accounts delete', positionals }, async (account) => {
      const { id, email } = account;
      if (options.yes !== true)
        throw new UsageError(`accounts delete ${email} --yes: cannot be taken back, so say --yes`);
      await store.transaction().execute(async (trx) => {
        await holdAccount(trx, id);
        await deleteForGood(trx, account, now);
      });
      return { text: `${email}: deleted`, data: { id, deleted: true } };
    }),
};

export const accountsExport: StoreCommand = {
  name: ['accounts', 'export'],
  usage: 'accounts export WHO',
  summary: 'print everything that is kept about an account, as its owner can download it',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts export', positionals }, async (account) => {
      await recordActivity(store, { accountId: account.id, at: now, kind: 'exported', visitor: operator });
      const data = await describeAll(store, account, now);
      return { text: JSON.stringify(data, null, 2), data };
    }),
};
