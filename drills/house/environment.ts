import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FreshDatabase } from './databases.ts';

export const project = join(import.meta.dirname, '..', '..');

export type Settings = Readonly<Record<string, string>>;
export type Ground = Pick<FreshDatabase, 'dataDir' | 'databaseUrl'>;

/** What the service and its command line are told, as an operator would write it. */
export function environmentOf({ dataDir, databaseUrl }: Ground, settings: Settings = {}): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return {
    PATH,
    SystemRoot,
    NODE_ENV: 'production',
    SECRET_KEY: 'a secret of the drills, the same on each node',
    LOG_LEVEL: 'warn',
    PUBLIC_URL: 'https://door.example',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'no-reply@door.example',
    PHONE_CONFIRMATION: 'off',
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...settings,
  };
}

/** Runs `vestibule …` on the same ground as a service; throws when it fails. */
export async function vestibule(ground: Ground, args: readonly string[]): Promise<string> {
  const program = join(project, 'src', 'cli', 'vestibule.ts');
  const options = { cwd: ground.dataDir, env: environmentOf(ground) };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options);
  return stdout;
}
