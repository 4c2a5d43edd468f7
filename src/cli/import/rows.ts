import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../command.ts';

/** A record of a file, as it is there. */
export interface Row {
  /** The line number in the file, from 1, on which it begins; in CSV, on which it ends. */
  readonly line: number;
  /** The values by name, or why the row is unreadable. */
  readonly fields: Readonly<Record<string, unknown>> | Error;
}

/** In characters, more than any account has: a file with one endless line must not fill the memory. */
const longestRow = 2 ** 18;
const tooLong = new Error(`longer than ${longestRow} characters`);

interface Format {
  /** In JSON: the names of the lists whose items are accounts, wherever they are in the document. */
  readonly lists?: readonly string[];
  /** The columns of a CSV file without a header line. */
  readonly columns?: readonly string[];
  readonly isLdif?: boolean;
}

/** Yields the rows of a file according to its extension: JSON Lines, JSON, LDIF, or else CSV (RFC 4180) with a header. */
export function rowsOf(file: string, { lists = [], columns, isLdif }: Format = {}): AsyncGenerator<Row> {
  if (isLdif || /\.ldif$/i.test(file)) return ldifRows(file);
  if (/\.(?:jsonl|ndjson)$/i.test(file)) return jsonRows(file);
  return /\.json$/i.test(file) ? documentRows(file, lists) : csvRows(file, columns);
}

/** Throws if the file cannot be opened, before a stream exists whose error would be unhandled. */
async function openText(file: string): Promise<Readable> {
  return (await open(file)).createReadStream();
}

async function* jsonRows(file: string): AsyncGenerator<Row> {
  for await (const { line, text } of linesOf(await openText(file))) {
    if (text === undefined) yield { line, fields: tooLong };
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
      return text.includes('\uFFFD') ? new Error('not in UTF-8') : (value as Record<string, unknown>);
  } catch {
    // Reported below, like any other value that is not an object.
  }
  return new Error('not a JSON object');
}

/** The objects of a document: those in its named lists; without any, the objects of its list, or the document itself. */
async function* documentRows(file: string, lists: readonly string[]): AsyncGenerator<Row> {
  const splitter = openSplitter(lists);
  for await (const chunk of (await openText(file)).setEncoding('utf8') as AsyncIterable<string>) {
    for (const sign of chunk) splitter.read(sign);
    yield* splitter.found.splice(0);
  }
  yield* splitter.end();
}

/** Splits JSON of any size by its brackets, so that only one object is in memory. */
function openSplitter(lists: readonly string[]) {
  const found: Row[] = [];
  /** For each open bracket, whether the objects in it are accounts. */
  const holds: boolean[] = [];
  let [line, begunAt, text, string, key] = [1, 1, '', '', ''];
  let [isInString, isEscaped] = [false, false];
  /** Open brackets around the object that is being read; undefined outside. */
  let depth: number | undefined;
  const readString = (sign: string) => {
    if (!isEscaped && sign === '"') isInString = false;
    else if (string.length < 100) string += sign;
    isEscaped = !isEscaped && sign === '\\';
  };
  const openList = () => {
    const isNamed = lists.includes(key) && !holds.includes(true);
    // The object around a list of accounts is not an account.
    if (isNamed) [depth, text] = [undefined, ''];
    holds.push(isNamed || holds.length === 0);
  };
  const openObject = () => {
    if (depth === undefined && (holds.length === 0 || holds.at(-1))) [begunAt, text, depth] = [line, '', holds.length];
    holds.push(false);
  };
  const closeObject = () => {
    holds.pop();
    if (depth !== holds.length) return;
    found.push({ line: begunAt, fields: text.length > longestRow ? tooLong : readJson(text) });
    [depth, text] = [undefined, ''];
  };
  const actions: Readonly<Record<string, () => void>> = {
    '"': () => {
      [isInString, string] = [true, ''];
    },
    ':': () => {
      key = string;
    },
    '[': openList,
    ']': () => void holds.pop(),
    '{': openObject,
  };
  return {
    found,
    read(sign: string): void {
      if (sign === '\n') line += 1;
      const isContent = isInString;
      if (isContent) readString(sign);
      else actions[sign]?.();
      if (depth !== undefined && text.length <= longestRow) text += sign;
      if (!isContent && sign === '}') closeObject();
    },
    end(): Row[] {
      if (holds.length === 0 && !isInString) return [];
      return [{ line, fields: new Error('the file ends in the middle') }];
    },
  };
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: CsvError };
}

async function* csvRows(file: string, columns?: readonly string[]): AsyncGenerator<Row> {
  const found: Row[] = [];
  const options = { bom: true, info: true, skip_empty_lines: true, relax_column_count: true };
  const parser = parse({
    ...options,
    columns: columns ? [...columns] : columnsOf,
    // Firebase writes quotes within a cell as they are.
    relax_quotes: columns !== undefined,
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
  if (columns.some((name) => name.includes('@')))
    throw new UsageError('the first line must name the columns, and it contains an address: nobody was imported');
  return columns;
}

/** Omits empty cells. */
function rowOf({ record, info }: CsvRecord): Row {
  if (info.error) return { line: info.lines, fields: new Error(info.error.message) };
  const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));
  const isWrong = Object.values(fields).some((value) => value.includes('\uFFFD'));
  return { line: info.lines, fields: isWrong ? new Error('not in UTF-8') : fields };
}

/** The entries of an LDIF file (RFC 2849): each attribute, in lower case, with the list of its values. */
async function* ldifRows(file: string): AsyncGenerator<Row> {
  let [begunAt, folded]: [number, string[]] = [1, []];
  for await (const { line, text = '\uFFFD' } of linesOf(await openText(file))) {
    const written = text.replace(/\r$/, '');
    if (written.startsWith(' ') && folded.length > 0) folded.push(`${folded.pop()}${written.slice(1)}`);
    else if (written === '') {
      yield* entryOf(begunAt, folded);
      folded = [];
    } else {
      if (folded.length === 0) begunAt = line;
      folded.push(written);
    }
  }
  yield* entryOf(begunAt, folded);
}

function entryOf(line: number, written: readonly string[]): Row[] {
  const values: Record<string, string[]> = {};
  for (const one of written) {
    const [, name = '', isEncoded, value = ''] = /^([\w.;-]+):(:?) *(.*)$/s.exec(one) ?? [];
    if (one.startsWith('#') || /^(?:version|search|result)$/i.test(name)) continue;
    if (name === '' || value.includes('\uFFFD')) return [{ line, fields: new Error('not LDIF in UTF-8') }];
    const attribute = name.toLowerCase().replace(/;.*/, '');
    values[attribute] ??= [];
    values[attribute].push(isEncoded ? Buffer.from(value, 'base64').toString() : value);
  }
  return Object.keys(values).length === 0 ? [] : [{ line, fields: values }];
}
