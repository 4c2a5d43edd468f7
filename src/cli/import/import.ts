import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { hasPhones } from '../../contract/fields/phone.ts';
import { auditAlone } from '../../operations/operation.ts';
import { isPassword } from '../../security/imported-hashes.ts';
import { openKeys, openSecrets } from '../../server/keys/stored-keys.ts';
import { emailKey } from '../../store/accounts/accounts.ts';
import { findExisting, type ImportedAccount, importAccounts } from '../../store/accounts/import-accounts.ts';
import { onOneLine, operationOf, reasonOption, refuseUnreadable, type StoreCommand, UsageError } from '../command.ts';
import { importedFields, readAccount } from './read-account.ts';
import { type Row, rowsOf } from './rows.ts';
import { sourceNamed, sources, withoutGaps } from './sources.ts';

/** Rows in one transaction: the limit for how long requests of a running service wait. */
const batchSize = 500;
const maxListed = 100;

export const importCommand: StoreCommand = {
  usage: 'import FILE…',
  summary:
    'add accounts of another service from CSV, JSON or its own export, with their password hashes; repeat it after an interruption',
  example: 'import people.csv --dry-run',
  options: {
    from: { type: 'string', value: 'SERVICE', help: `whose export it is: ${Object.keys(sources).join(', ')}` },
    country: { type: 'string', value: 'CODE', help: 'the country of phone numbers without +, such as DE' },
    'hash-config': { type: 'string', value: 'FILE', help: 'the parameters of hashes, from the Firebase console' },
    'dry-run': { type: 'boolean', help: 'check the file, count what an import would do, and add nothing' },
    ...reasonOption,
  },
  async run(given) {
    const { store, config, folder, positionals, options } = given;
    const files = positionals.map((file) => resolve(folder, file));
    if (files.length === 0)
      throw new UsageError(`import FILE…: files with any of the columns ${importedFields.join(', ')}`);
    for (const file of files) refuseUnreadable(file);
    const reader = openReader(given);
    const secrets = openSecrets(config);
    await openKeys(store, { config, now: given.now, secrets });
    const { seal } = secrets;
    const operation = operationOf(given);
    const dry = options['dry-run'] === true;
    const name = files.map((file) => basename(file)).join(', ');
    if (!dry) await auditAlone(operation, { action: 'import_started', subject: name });
    const tally = openTally(files.length > 1);
    let waiting: Entrant[] = [];
    const add = async () => {
      const batch = waiting;
      waiting = [];
      const existing = await findExisting(
        store,
        batch.map(({ account }) => account),
      );
      const fresh = batch.filter((entrant) => {
        const verdict = judge(entrant.account, existing);
        if (verdict === 'new') return true;
        if (verdict === 'there') tally.there(entrant);
        else tally.refuse(entrant, verdict.refused);
        return false;
      });
      const accounts = fresh.map(({ account }) => account);
      const added = dry ? undefined : await importAccounts(store, { accounts, now: given.now, seal });
      for (const entrant of fresh) {
        if (added && !added.has(entrant.account.id)) tally.there(entrant);
        else tally.add(entrant);
      }
    };
    for await (const entrant of entrantsOf(files, { reader, tally })) {
      waiting.push(entrant);
      if (waiting.length === batchSize) await add();
    }
    await add();
    const { added, refusals } = tally.counts;
    if (!dry) {
      const subject = `${name}: ${added} added, ${refusals} refused`;
      await auditAlone({ ...operation, now: Date.now() }, { action: 'import_finished', subject });
    }
    return { ...tally.result({ dry, reader }), failed: refusals > 0 };
  },
};

interface Place {
  readonly file: string;
  readonly line: number;
}

type Entrant = Place & { readonly account: ImportedAccount };

/** Reads rows of our own format, or of the service that `--from` names. */
function openReader({ now, folder, options }: Parameters<StoreCommand['run']>[0]) {
  const { from, country, 'hash-config': config } = options as Readonly<Record<string, string | undefined>>;
  const source = from === undefined ? undefined : sourceNamed(from);
  if (from !== undefined && !source) throw new UsageError(`--from SERVICE: one of ${Object.keys(sources).join(', ')}`);
  if (country !== undefined && !hasPhones(country))
    throw new UsageError('--country CODE: a country with two capital letters, such as DE');
  if (config !== undefined) refuseUnreadable(resolve(folder, config));
  const hashConfig = config === undefined ? undefined : readFileSync(resolve(folder, config), 'utf8');
  const notes = new Map<string, number>();
  const note = (text: string) => notes.set(text, (notes.get(text) ?? 0) + 1);
  return {
    source,
    notes,
    async read({ fields }: Row): Promise<Awaited<ReturnType<typeof readAccount>> | { readonly ignored: string }> {
      if (fields instanceof Error) return { refused: fields.message };
      if (!source) return readAccount(fields, { now, country });
      const mapped = source.row(fields, { now, hashConfig, note });
      if ('ignored' in mapped) return { ignored: String(mapped.ignored) };
      if ('refusal' in mapped) return { refused: String(mapped.refusal) };
      return readAccount(withoutGaps(mapped), { now, country });
    },
  };
}

interface Reading {
  readonly reader: ReturnType<typeof openReader>;
  readonly tally: ReturnType<typeof openTally>;
}

/** The accounts of the files, each once; counts the other rows. */
async function* entrantsOf(files: readonly string[], { reader, tally }: Reading): AsyncGenerator<Entrant> {
  const entrants = openEntrants();
  for (const path of files) {
    const file = basename(path);
    let isEmpty = true;
    for await (const row of rowsOf(path, reader.source)) {
      isEmpty = false;
      const place = { file, line: row.line };
      const read = await reader.read(row);
      const before = 'account' in read ? entrants.before({ ...place, account: read.account }) : undefined;
      if ('ignored' in read) tally.ignore(read.ignored);
      else if ('refused' in read) tally.refuse(place, read.refused);
      else if (before) tally.refuse(place, before);
      else yield { ...place, account: read.account };
    }
    if (isEmpty) tally.refuse({ file, line: 1 }, 'the file contains no account');
  }
}

/** Finds accounts that are in the files twice. */
function openEntrants() {
  const seen = new Map<string, Place>();
  return {
    /** Why there cannot be a second one; undefined for the first. */
    before({ account, ...place }: Entrant): string | undefined {
      const marks = [
        ['address', emailKey(account.email)],
        ...(account.hasGivenId ? [['id', account.id]] : []),
        ...account.passkeys.map(({ id }) => ['passkey', id]),
        ...(account.passkeyUserHandle ? [['user handle', account.passkeyUserHandle]] : []),
      ] as [string, string][];
      for (const [what, value] of marks) {
        const first = seen.get(`${what} ${value}`);
        if (first)
          return `the same ${what} as in line ${first.line}${first.file === place.file ? '' : ` of ${first.file}`}: ${account.email}`;
      }
      for (const [what, value] of marks) seen.set(`${what} ${value}`, place);
      return undefined;
    },
  };
}

/** Whether an account is new, was added by an earlier run, or is in conflict with another one. */
function judge(
  account: ImportedAccount,
  { ids, emails, passkeys, handles }: Awaited<ReturnType<typeof findExisting>>,
): 'new' | 'there' | { readonly refused: string } {
  const own = ids.get(emailKey(account.email));
  if (own !== undefined) {
    if (!account.hasGivenId || own === account.id) return 'there';
    return { refused: `${account.email} already has an account, with another id: ${own}` };
  }
  const other = account.hasGivenId ? emails.get(account.id) : undefined;
  if (other !== undefined) return { refused: `id: ${account.id} is the id of ${other}` };
  if (account.passkeys.some(({ id }) => passkeys.has(id)))
    return { refused: 'passkeys: one belongs to another account' };
  if (account.passkeyUserHandle && handles.has(account.passkeyUserHandle))
    return { refused: 'passkey_user_handle: belongs to another account' };
  return 'new';
}

/** Counts what becomes of each row, and lists the first ones by line. */
function openTally(namesFiles: boolean) {
  const counts = { added: 0, there: 0, refusals: 0, ignored: 0, without_password: 0 };
  const lists = { refused: [] as (Place & { why: string })[], existing: [] as (Place & { why: string })[] };
  const ignored = new Map<string, number>();
  const list = (name: keyof typeof lists, { file, line }: Place, why: string) => {
    if (lists[name].length < maxListed) lists[name].push({ file, line, why });
  };
  const lineOf = ({ file, line, why }: Place & { why: string }) =>
    `${namesFiles ? `${file} ` : ''}line ${line}: ${onOneLine(why)}`;
  return {
    counts,
    add({ account }: Entrant): void {
      counts.added += 1;
      if (!isPassword(account.password_hash)) counts.without_password += 1;
    },
    there(entrant: Entrant): void {
      counts.there += 1;
      list('existing', entrant, `${entrant.account.email} already has an account`);
    },
    refuse(place: Place, why: string): void {
      counts.refusals += 1;
      list('refused', place, why);
    },
    ignore(why: string): void {
      counts.ignored += 1;
      ignored.set(why, (ignored.get(why) ?? 0) + 1);
    },
    result({ dry, reader: { source, notes } }: { dry: boolean } & Pick<Reading, 'reader'>) {
      const { added, there, refusals, without_password } = counts;
      const more = (count: number) => (count > maxListed ? [`and ${count - maxListed} more`] : []);
      const told = [
        ...[...ignored].map(([why, count]) => `left out ${count}: ${onOneLine(why)}`),
        // Exports easily lack hashes that the other service does have, and nobody would notice before people sign in.
        ...(source && without_password > 0
          ? [`without a password ${without_password}: an emailed code or “Forgot password” lets their owners in`]
          : []),
        ...[...notes].map(([what, count]) => `changed in ${count}: ${onOneLine(what)}`),
      ];
      const text = [
        dry
          ? `${added} would be added, ${there} already exist, ${refusals} would be refused`
          : `${added} added, ${there} already existed, ${refusals} refused`,
        ...told,
        ...lists.refused.map(lineOf),
        ...more(refusals),
        ...lists.existing.map(lineOf),
        ...more(there),
      ].join('\n');
      const without = (rows: (Place & { why: string })[]) =>
        rows.map(({ file, line, why }) => ({ ...(namesFiles && { file }), line, why }));
      return {
        text,
        data: {
          ...counts,
          read: added + there,
          refused: without(lists.refused),
          existing: without(lists.existing),
          notes: told,
          dry_run: dry,
        },
      };
    },
  };
}
