import { basename, resolve } from 'node:path';
import { audit } from '../../operations/operation.ts';
import { openKeyEncryption } from '../../security/key-encryption.ts';
import { readSecret } from '../../server/settings/operator-secret.ts';
import { type ImportedAccount, importAccounts } from '../../store/accounts/import-accounts.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { operationOf, reasonOption } from '../operator.ts';
import { onOneLine } from '../readable.ts';
import { refuseUnreadable } from '../refuse-unreadable.ts';
import { importedFields, readAccount } from './read-account.ts';
import { rowsOf } from './rows.ts';

/** Rows in one transaction: the limit for how long requests of a running service wait. */
const rowsAtOnce = 500;
const mostListed = 100;

export const importCommand: StoreCommand = {
  name: ['import'],
  usage: 'import FILE [--dry-run] [--reason TEXT]',
  summary:
    'add accounts of another service from CSV or JSON Lines, with their password hashes; repeat it after an interruption',
  options: { 'dry-run': { type: 'boolean' }, ...reasonOption },
  async run(given) {
    const { store, config, now, folder, positionals, options } = given;
    const [written, ...more] = positionals;
    if (!written || more.length > 0)
      throw new UsageError(`import FILE: one file with any of the columns ${importedFields.join(', ')}`);
    const file = resolve(folder, written);
    refuseUnreadable(file);
    const dry = options['dry-run'] === true;
    const refused: { line: number; why: string }[] = [];
    let [read, added, refusals] = [0, 0, 0];
    let waiting: ImportedAccount[] = [];
    const add = async () => {
      added += dry ? 0 : await importAccounts(store, { accounts: waiting, now, seal });
      waiting = [];
    };
    const { seal } = openKeyEncryption(readSecret(config));
    const operation = operationOf(given);
    if (!dry) await audit(store, operation, { action: 'import_started', subject: basename(file) });
    for await (const { line, fields } of rowsOf(file)) {
      const one = fields instanceof Error ? { refused: fields.message } : readAccount(fields, now);
      if ('account' in one) {
        read += 1;
        waiting.push(one.account);
        if (waiting.length === rowsAtOnce) await add();
        continue;
      }
      refusals += 1;
      if (refused.length < mostListed) refused.push({ line, why: one.refused });
    }
    await add();
    if (!dry) {
      const subject = `${basename(file)}: ${added} added, ${refusals} refused`;
      await audit(store, { ...operation, now: Date.now() }, { action: 'import_finished', subject });
    }
    const there = dry ? 0 : read - added;
    const lines = refused.map(({ line, why }) => `line ${line}: ${onOneLine(why)}`);
    return {
      text: [
        dry
          ? `${read} could be added, ${refusals} refused`
          : `${added} added, ${there} already existed, ${refusals} refused`,
        ...lines,
        ...(refusals > mostListed ? [`and ${refusals - mostListed} more`] : []),
      ].join('\n'),
      data: { read, added, there, refusals, refused, dry_run: dry },
      failed: refusals > 0,
    };
  },
};
