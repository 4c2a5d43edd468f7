import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../command.ts';

export interface Row {
  /** Of the file, from 1 on. */
  readonly line: number;
  /** What it holds by name, or why it cannot be read. */
  readonly fields: Readonly<Record<string, unknown>> | Error;
}

/** Characters; no account has as many, and a file of one endless line must not fill the memory. */
const longestRow = 2 ** 18;

/** The rows of a file, one after the other: JSON Lines where its name says so, else CSV (RFC 4180) with a first line of names. */
export function rowsOf(file: string): AsyncGenerator<Row> {
  return /\.(?:jsonl|ndjson)$/i.test(file) ? jsonRows(file) : csvRows(file);
}

/** Throws where it is no file, or not for this user; a stream would say so to nobody. */
async function openText(file: string): Promise<Readable> {
  const opened = await open(file);
  const isFile = (await opened.stat()).isFile();
  if (isFile) return opened.createReadStream();
  await opened.close();
  throw new UsageError(`${file} is no file`);
}

async function* jsonRows(file: string): AsyncGenerator<Row> {
  for await (const { line, text } of linesOf(await openText(file))) {
    if (text === undefined) yield { line, fields: new Error(`longer than ${longestRow} characters`) };
    else if (text.trim() !== '') yield { line, fields: readJson(line === 1 ? text.replace(/^\uFEFF/, '') : text) };
  }
}

interface Line {
  readonly line: number;
  /** Nothing where it is longer than any row may be. */
  readonly text: string | undefined;
}

/** Lines that end as JSON Lines has it: Node's `readline` would also part a text at U+2028, which JSON allows in one. */
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
    // Told like any other that is no object.
  }
  return new Error('no JSON object');
}

/** What was written in another encoding would be kept with its letters lost. */
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
  // What is wrong comes to whoever wrote; a stream wants it heard here, too.
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
    yield { line: Number(error.lines), fields: new Error(`${error.message}; nothing from there on is read`) };
  }
}

function columnsOf(names: string[]): string[] {
  const columns = names.map((name) => name.trim().toLowerCase());
  const twice = columns.find((name, at) => name !== '' && columns.indexOf(name) < at);
  if (twice !== undefined) throw new UsageError(`its first line names ${twice} twice`);
  return columns;
}

/** An empty cell says nothing. */
function rowOf({ record, info }: CsvRecord): Row {
  if (info.error) return { line: info.lines, fields: new Error(info.error.message) };
  const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));
  return { line: info.lines, fields: inUtf8(fields) };
}
