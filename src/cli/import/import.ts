import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { CsvError, parse } from 'csv-parse';
import { audit } from '../../operations/operation.ts';
import { openKeys, openSecrets } from '../../server/keys/stored-keys.ts';
import { type ImportedAccount, importAccounts } from '../../store/accounts/find-accounts.ts';
import { onOneLine, operationOf, reasonOption, refuseUnreadable, type StoreCommand, UsageError } from '../command.ts';
import { importedFields, readAccount } from './read-account.ts';

/** Rows in one transaction: the limit for how long requests of a running service wait. */
const batchSize = 500;
const maxListed = 100;

export const importCommand: StoreCommand = {
  name: ['import'],
  usage: 'import FILE [--dry-run] [--reason TEXT]',
  summary:
    'add accounts of another service from CSV or JSON Lines, with their password hashes; repeat it after an interruption',
  example: 'import people.csv --dry-run',
  options: { 'dry-run': { type: 'boolean', help: 'check the file and add nothing' }, ...reasonOption },
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
    const secrets = openSecrets(config);
    await openKeys(store, { config, now, secrets });
    const { seal } = secrets;
    const operation = operationOf(given);
    if (!dry) await audit(store, operation, { action: 'import_started', subject: basename(file) });
    for await (const { line, fields } of rowsOf(file)) {
      const one = fields instanceof Error ? { refused: fields.message } : readAccount(fields, now);
      if ('account' in one) {
        read += 1;
        waiting.push(one.account);
        if (waiting.length === batchSize) await add();
        continue;
      }
      refusals += 1;
      if (refused.length < maxListed) refused.push({ line, why: one.refused });
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
        ...(refusals > maxListed ? [`and ${refusals - maxListed} more`] : []),
      ].join('\n'),
      data: { read, added, there, refusals, refused, dry_run: dry },
      failed: refusals > 0,
    };
  },
};

interface Row {
  /** The line number in the file, from 1. */
  readonly line: number;
  /** The values by column name, or why the row is unreadable. */
  readonly fields: Readonly<Record<string, unknown>> | Error;
}

/** In characters, more than any account has: a file with one endless line must not fill the memory. */
const longestRow = 2 ** 18;

/** Yields the rows of a file: JSON Lines according to its extension, else CSV (RFC 4180) with a header line. */
function rowsOf(file: string): AsyncGenerator<Row> {
  return /\.(?:jsonl|ndjson)$/i.test(file) ? jsonRows(file) : csvRows(file);
}

/** Throws if the file cannot be opened, before a stream exists whose error would be unhandled. */
async function openText(file: string): Promise<Readable> {
  return (await open(file)).createReadStream();
}

async function* jsonRows(file: string): AsyncGenerator<Row> {
  for await (const { line, text } of linesOf(await openText(file))) {
    if (text === undefined) yield { line, fields: new Error(`longer than ${longestRow} characters`) };
    else if (text.trim() !== '') yield { line, fields: readJson(line === 1 ? text.replace(/^\uFEFF/, '') : text) };
  }
}

interface Line {
  readonly line: number;
  /** Undefined if it is longer than a row may be. */
  readonly text: string | undefined;
}

/** Splits only at \n: Node's `readline` would also split at U+2028, which JSON allows within a string. */
async function* linesOf(input: Readable): AsyncGenerator<Line> {
  let [line, begun, isTooLong] = [1, '', false];
  const ended = (rest: string): Line => {
    const text = isTooLong || begun.length + rest.length > longestRow ? undefined : begun + rest;
    [begun, isTooLong] = ['', false];
    return { line: line++, text };
  };
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    const parts = chunk.split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) yield ended(part);
    isTooLong ||= begun.length + last.length > longestRow;
    begun = isTooLong ? '' : begun + last;
  }
  if (begun !== '' || isTooLong) yield ended('');
}

function readJson(text: string): Row['fields'] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return inUtf8(value as Record<string, unknown>);
  } catch {
    // Reported below, like any other value that is not an object.
  }
  return new Error('not a JSON object');
}

/** Refuses rows in another encoding, whose characters would otherwise be lost. */
const inUtf8 = (fields: Readonly<Record<string, unknown>>): Row['fields'] =>
  Object.values(fields).some((value) => typeof value === 'string' && value.includes('\uFFFD'))
    ? new Error('not in UTF-8')
    : fields;

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: CsvError };
}

async function* csvRows(file: string): AsyncGenerator<Row> {
  const found: Row[] = [];
  const options = { bom: true, info: true, skip_empty_lines: true, relax_column_count: true };
  const parser = parse({
    ...options,
    columns: columnsOf,
    max_record_size: longestRow,
    on_record(csv: CsvRecord) {
      found.push(rowOf(csv));
      return null;
    },
  });
  // Calls to write() receive the errors; without this listener, the stream would also throw them.
  parser.on('error', () => undefined);
  const write = promisify<Buffer, void>(parser.write.bind(parser));
  const end = promisify(parser.end.bind(parser));
  let isBegun = false;
  try {
    for await (const chunk of (await openText(file)) as AsyncIterable<Buffer>) {
      await write(chunk);
      isBegun ||= found.length > 0;
      yield* found.splice(0);
    }
    await end();
    yield* found;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (!isBegun && found.length === 0) throw new UsageError(`${file}: ${error.message}`, { cause: error });
    yield* found;
    yield { line: Number(error.lines), fields: new Error(`${error.message}; the rest of the file was not read`) };
  }
}

function columnsOf(names: string[]): string[] {
  const columns = names.map((name) => name.trim().toLowerCase());
  const twice = columns.find((name, at) => name !== '' && columns.indexOf(name) < at);
  if (twice !== undefined) throw new UsageError(`the first line contains ${twice} twice`);
  return columns;
}

/** Omits empty cells. */
function rowOf({ record, info }: CsvRecord): Row {
  if (info.error) return { line: info.lines, fields: new Error(info.error.message) };
  const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));
  return { line: info.lines, fields: inUtf8(fields) };
}
