import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingsError } from '../contract/settings-error.ts';

/** The environment, which takes precedence over an `.env` file in the working directory. */
export const readEnvironment = (): Record<string, string | undefined> => ({ ...readFile('.env'), ...process.env });

function readFile(file: string): NodeJS.Dict<string> {
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new SettingsError(`${file}: cannot be read: ${(cause as Error).message}`, { cause });
  }
}
