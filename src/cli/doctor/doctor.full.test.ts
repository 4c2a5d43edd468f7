import { mkdirSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../store/migrate.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { contentsOf } from '../../testing/folder-contents.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { doctor } from './doctor.ts';

const database = async () => {
  const fresh = await freshDatabase('sqlite');
  await migrate(fresh);
  return fresh;
};

/** The doctor's finding about a part, and whether the doctor fails. */
async function checked(part: string, settings: Record<string, string>, dataDir?: string) {
  const environment = {
    DATA_DIR: dataDir ?? (await database()).dataDir,
    PHONE_CONFIRMATION: 'off',
    LOG_LEVEL: 'silent',
    ...settings,
  };
  const result = await doctor.runBare({ environment, options: {}, positionals: [], now: Date.now(), folder: '.' });
  const line = (result.text ?? '').split('\n').find((one) => one.slice(9).startsWith(`${part} `));
  return `${result.failed ? 'fails' : 'passes'}, ${line?.replace(/\s+/g, ' ').trim()}`;
}

/** Overwrites every second page from the fifth with the page before it. */
function overwritePages(file: string): void {
  const page = 4096;
  const descriptor = openSync(file, 'r+');
  const bytes = Buffer.alloc(page);
  for (let at = 3; at < 20; at += 2) {
    readSync(descriptor, bytes, 0, page, at * page);
    writeSync(descriptor, bytes, 0, page, (at + 1) * page);
  }
}

describe('the doctor only reads:', () => {
  /** The data folder of a service that has been used. */
  async function usedFolder(): Promise<string> {
    const server = await openTestServer('sqlite');
    await register(server);
    await server.close();
    return server.config.DATA_DIR;
  }

  test.each<[string, string, (dataDir: string) => void, RegExp]>([
    [
      'a lost secret is reported, and not replaced',
      'keys',
      (dataDir) => rmSync(join(dataDir, 'secret.key')),
      /^fails, FAILED keys SECRET_KEY: .*neither it nor .*secret\.key exists; restore it from a backup$/,
    ],
    [
      'an empty secret is reported',
      'keys',
      (dataDir) => writeFileSync(join(dataDir, 'secret.key'), ''),
      /^fails, FAILED keys SECRET_KEY: .*secret\.key is empty; restore it from a backup$/,
    ],
    [
      'the secret of another folder is reported',
      'keys',
      (dataDir) => writeFileSync(join(dataDir, 'secret.key'), 'x'.repeat(43)),
      /^fails, FAILED keys SECRET_KEY: .*with another secret; restore it from a backup$/,
    ],
    [
      'a file that is not a database is reported',
      'database',
      (dataDir) => writeFileSync(join(dataDir, 'vestibule.sqlite'), 'not a database at all'.repeat(100)),
      /^fails, FAILED database .*vestibule\.sqlite is damaged, restore a backup: file is not a database$/,
    ],
    [
      'a database with a lost page is reported',
      'database',
      (dataDir) => overwritePages(join(dataDir, 'vestibule.sqlite')),
      /^fails, FAILED database .*vestibule\.sqlite is damaged, restore a backup: /,
    ],
    [
      'a database that cannot be opened now is not called damaged',
      'database',
      (dataDir) => {
        writeFileSync(join(dataDir, 'vestibule.sqlite-wal'), 'x'.repeat(100));
        mkdirSync(join(dataDir, 'vestibule.sqlite-shm'));
      },
      /^fails, FAILED database .*vestibule\.sqlite cannot be read: /,
    ],
    [
      'a folder instead of a file is reported',
      'redirect rules|settings',
      (dataDir) => mkdirSync(join(dataDir, 'rules.json')),
      /REDIRECT_RULES: .*rules\.json/,
    ],
  ])('%s', async (_, part, spoil, says) => {
    const dataDir = await usedFolder();
    spoil(dataDir);
    const before = contentsOf(dataDir);
    const settings: Record<string, string> = part.includes('rules')
      ? { REDIRECT_RULES: join(dataDir, 'rules.json') }
      : {};
    expect(await checked(part.split('|').at(-1) ?? part, settings, dataDir)).toMatch(says);
    expect(contentsOf(dataDir)).toEqual(before);
  });
});
