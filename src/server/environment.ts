import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The environment, over an `.env` file in the folder that the program was started from. */
export const readEnvironment = (): Record<string, string | undefined> => ({
  ...(existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}),
  ...process.env,
});
