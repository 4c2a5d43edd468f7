import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { SettingsError } from '../../contract/settings.ts';
import { randomSecret } from '../../security/macs.ts';
import { makeFolder } from '../../store/make-folder.ts';

/** The environment, which takes precedence over an `.env` file in the working directory. */
export const readEnvironment = (): Record<string, string | undefined> => ({
  ...parseEnv(readText('.env') ?? ''),
  ...process.env,
});

export const namesInFile = (): ReadonlySet<string> => new Set(Object.keys(parseEnv(readText('.env') ?? '')));

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

/** Typos allowed in a long name; a short name is similar to too many others. */
const slips = 2;
const slipsAreFrom = 8;
const oneSlipFrom = 5;
function slipsIn({ length }: string): number {
  if (length >= slipsAreFrom) return slips;
  return length >= oneSlipFrom ? 1 : 0;
}

/** Unites singular and plural: with `TRUSTED_PROXY`, every visitor would share the proxy's rate limits. */
const stem = (name: string): string => name.replaceAll(/(?:IES|Y|S)(?=_|$)/g, '');

/** Names that resemble a setting: otherwise a misspelled setting would silently be ignored. */
export const misspelledNames = (
  environment: Readonly<Record<string, string | undefined>>,
  settingNames: readonly string[],
): string[] =>
  Object.keys(environment)
    .filter((name) => slipsIn(name) > 0 && !settingNames.includes(name))
    .map((name) => ({
      name,
      meant: settingNames.find((one) => stem(one) === stem(name)) ?? closest(name, settingNames),
    }))
    .filter(({ name, meant }) => stem(name) === stem(meant) || distance(name, meant) <= slipsIn(name))
    .map(({ name, meant }) => `${name}: unknown setting; did you mean ${meant}?`);

export interface SecretSettings {
  readonly SECRET_KEY?: string | undefined;
  readonly PREVIOUS_SECRET_KEY?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}

/** The file in SQLite's data folder that contains the operator's secret. */
export const secretFile = (dataDir: string): string => join(dataDir, 'secret.key');

/** The operator's secret: `SECRET_KEY`, or with SQLite the one in the data folder; undefined if there is none yet. */
export function readSecret({ SECRET_KEY, DATABASE_URL, DATA_DIR }: SecretSettings): string | undefined {
  const file = secretFile(DATA_DIR);
  if (SECRET_KEY || DATABASE_URL || !existsSync(file)) return SECRET_KEY;
  const secret = readSecretFile(file).trim();
  if (secret === '') throw new SettingsError(`SECRET_KEY: ${file} is empty; restore it from a backup`);
  return secret;
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SettingsError(`SECRET_KEY: ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Creates SQLite's secret, in a file that only its owner can read. */
export function makeSecret({ DATA_DIR }: SecretSettings): void {
  makeFolder(DATA_DIR);
  writeSecret(DATA_DIR, randomSecret(256));
}

/** Writes to a temporary name and renames, so that an existing file is always complete. */
function writeSecret(dataDir: string, secret: string): void {
  const unfinished = `${secretFile(dataDir)}.${process.pid}`;
  writeSecretTo(unfinished, secret);
  renameSync(unfinished, secretFile(dataDir));
}

/** Writes a secret durably to a file that only its owner can read. */
export const writeSecretTo = (file: string, secret: string): void =>
  writeFileSync(file, secret, { mode: 0o600, flush: true });
