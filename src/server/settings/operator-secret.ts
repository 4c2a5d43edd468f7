import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../../contract/settings-error.ts';
import { randomSecret } from '../../security/secrets.ts';
import { makeFolder } from '../../store/make-folder.ts';

export interface SecretSettings {
  readonly SECRET_KEY?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR: string;
}

/** The file in SQLite's data folder that contains the operator's secret. */
export const secretFile = (dataDir: string): string => join(dataDir, 'secret.key');

/** The operator's secret: `SECRET_KEY`, or with SQLite the one in the data folder; undefined if there is none yet. */
export function readSecret({ SECRET_KEY, DATABASE_URL, DATA_DIR }: SecretSettings): string | undefined {
  const file = secretFile(DATA_DIR);
  if (SECRET_KEY || DATABASE_URL || !existsSync(file)) return SECRET_KEY;
  const secret = readText(file).trim();
  if (secret === '') throw new SettingsError(`SECRET_KEY: ${file} is empty; restore it from a backup`);
  return secret;
}

function readText(file: string): string {
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
