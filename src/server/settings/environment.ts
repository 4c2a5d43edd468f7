import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingsError } from '../../contract/settings-error.ts';
import { settings } from './settings.ts';

/** The environment, which takes precedence over an `.env` file in the working directory. */
export const readEnvironment = (): Record<string, string | undefined> => ({ ...readFile('.env'), ...process.env });

function readFile(file: string): NodeJS.Dict<string> {
  if (!existsSync(file)) return {};
  const text = readText(file);
  const problems = ignoredLines(text).map(({ line, says }) => `${file}: line ${line} ${says}`);
  if (problems.length > 0) throw new SettingsError(problems);
  return parseEnv(text);
}

/** The text of a file in UTF-8, without the byte order mark that some editors write. */
function readText(file: string): string {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    // Every other byte of ASCII text in UTF-16 is zero.
    if (!text.includes('\0')) return text;
  } catch (cause) {
    throw new SettingsError(`${file}: cannot be read: ${(cause as Error).message}`, { cause });
  }
  throw new SettingsError(`${file}: is not text in UTF-8; save it in that encoding`);
}

const assignment = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)$/;

/** Lines that the parser would silently skip or cut off. */
function ignoredLines(text: string): { line: number; says: string }[] {
  const found: { line: number; says: string }[] = [];
  /** The quotation mark of a value that continues on the next line. */
  let quote: string | undefined;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (quote !== undefined) {
      if (line.includes(quote)) quote = undefined;
    } else if (!/^\s*(?:#|$)/.test(line)) {
      const [, name, value = ''] = assignment.exec(line) ?? [];
      quote = openQuote(value);
      found.push(...problemsOf(name, value).map((says) => ({ line: at + 1, says })));
    }
  }
  return found;
}

const quotationMark = /^["'`]/;

/** The quotation mark of a value that does not end on its line. */
function openQuote(value: string): string | undefined {
  const mark = quotationMark.exec(value)?.[0];
  return mark && !value.includes(mark, 1) ? mark : undefined;
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
