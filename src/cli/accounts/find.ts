import { textLimit } from '../../contract/field-sizes.ts';
import { iso } from '../../contract/iso-time.ts';
import { findAccounts } from '../../store/accounts/find-accounts.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { inColumns } from '../readable.ts';

const mostShown = 50;

export const accountsFind: StoreCommand = {
  name: ['accounts', 'find'],
  usage: 'accounts find TEXT',
  summary: 'list accounts whose address, name, organization or phone number contains a text',
  async run({ store, positionals }) {
    const text = positionals.join(' ').trim();
    if (text === '' || text.length >= textLimit)
      throw new UsageError('accounts find TEXT: part of an address, name, organization or phone number');
    const found = await findAccounts(store, { text, most: mostShown + 1 });
    const accounts = found.slice(0, mostShown).map(({ id, email, name, phone, created_at, locked_at }) => ({
      id,
      email,
      name,
      phone,
      created_at: iso(created_at),
      locked: locked_at !== null,
    }));
    const rows = accounts.map(({ id, email, name, phone, locked }) => [id, email, name, phone, locked ? 'locked' : '']);
    const more = found.length > mostShown;
    return {
      text: accounts.length === 0 ? `${text}: no such account` : `${inColumns(rows)}${more ? '\nand more' : ''}`,
      data: { accounts, more },
      failed: accounts.length === 0,
    };
  },
};
