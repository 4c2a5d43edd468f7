import { lstatSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingsError } from '../../contract/settings-error.ts';
import { settings } from './settings.ts';

/** The environment, which takes precedence over an `.env` file in the working directory. */
export const readEnvironment = (): Record<string, string | undefined> => ({ ...readFile('.env'), ...process.env });

function readFile(file: string): NodeJS.Dict<string> {
  const text = readText(file);
  if (text === undefined) return {};
  const problems = ignoredText(text).map(({ line, says }) => `${file}: line ${line} ${says}`);
  if (problems.length > 0) throw new SettingsError(problems);
  return parseEnv(text);
}

/** The text of a file in UTF-8, without the byte order mark that some editors write; undefined if there is no file. */
function readText(file: string): string | undefined {
  const bytes = readBytes(file);
  try {
    const text = bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Every other byte of ASCII text in UTF-16 is zero.
    if (!text?.includes('\0')) return text;
  } catch {
    // Reported below: characters of another encoding would be lost.
  }
  throw new SettingsError(`${file}: is not text in UTF-8; save it in that encoding`);
}

/** A link whose target is missing is not a missing file: the service would start as a developer's, with empty data. */
function readBytes(file: string): Buffer | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) && readFileSync(file);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new SettingsError(
      `${file}: ${code === 'ENOENT' ? 'is a link to a file that does not exist' : `cannot be read: ${message}`}`,
      { cause },
    );
  }
}

const assignment = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)$/;
const quotationMark = /^["'`]/;

interface Problem {
  readonly line: number;
  readonly says: string;
}

/** A quoted value that continues on the next line. */
interface OpenValue {
  readonly name: string;
  readonly mark: string;
  readonly line: number;
}

/** Text that the parser would silently skip, cut off or read as part of another value. */
function ignoredText(text: string): Problem[] {
  const found: Problem[] = [];
  let open: OpenValue | undefined;
  for (const [at, written] of text.split(/\r?\n/).entries()) {
    const line = at + 1;
    const [, name, value = ''] = assignment.exec(written) ?? [];
    const [mark] = quotationMark.exec(value) ?? [];
    if (open === undefined) {
      if (/^\s*(?:#|$)/.test(written)) continue;
      found.push(...problemsOf(name, value).map((says) => ({ line, says })));
      if (name === undefined || mark === undefined) continue;
      open = { name, mark, line };
    }
    const isFirst = open.line === line;
    const rest = isFirst ? value.slice(1) : written;
    const end = rest.indexOf(open.mark);
    if (end === -1) continue;
    if (!/^\s*(?:#.*)?$/.test(rest.slice(end + 1)))
      found.push({ line, says: `has text after the quotation mark that ends the value of ${open.name}` });
    open = undefined;
  }
  if (open)
    found.push({ line: open.line, says: `has a quotation mark in the value of ${open.name} that nothing closes` });
  return found;
}

function problemsOf(name: string | undefined, value: string): string[] {
  if (name === undefined) return ['has no name before an equals sign'];
  const capitals = name.toUpperCase();
  const isCutOff = !quotationMark.test(value) && value.replace(/(?:^|\s)#.*$/, '').includes('#');
  return [
    ...(isCutOff ? [`has a # in the value of ${name}, where a comment would begin: quote the value`] : []),
    ...(name !== capitals && capitals in settings ? [`must write ${name} in capitals: ${capitals}`] : []),
  ];
}
