import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../command.ts';

export interface Row {
  /** Of the file, from 1 on. */
  readonly line: number;
  /** What it holds by name, or why it cannot be read. */
  readonly fields: Readonly<Record<string, unknown>> | Error;
}

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
  let line = 0;
  const input = await openText(file);
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() !== '') yield { line, fields: readJson(line === 1 ? text.replace(/^\uFEFF/, '') : text) };
  }
}

function readJson(text: string): Row['fields'] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told like any other that is no object.
  }
  return new Error('no JSON object');
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

async function* csvRows(file: string): AsyncGenerator<Row> {
  const columns = (names: string[]) => names.map((name) => name.trim().toLowerCase());
  const text = await openText(file);
  const parser = text.pipe(parse({ columns, bom: true, info: true, skip_empty_lines: true }));
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      // An empty cell says nothing.
      const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));
      yield { line: info.lines, fields };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`${file}: ${error.message}`, { cause: error });
  }
}
