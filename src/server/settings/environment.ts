import { lstatSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingsError } from '../../contract/settings-error.ts';

/** The environment, which takes precedence over an `.env` file in the working directory. */
export const readEnvironment = (): Record<string, string | undefined> => ({
  ...parseEnv(readText('.env') ?? ''),
  ...process.env,
});

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
