import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { databaseFile } from '../../store/sqlite/files.ts';
import { runCommandProcess } from '../../testing/command-line.ts';
import { freshDatabase, migratedDatabase } from '../../testing/databases/databases.ts';
import { startProcess } from '../../testing/process.ts';

const run = (words: readonly string[], dataDir: string) =>
  runCommandProcess(words, { folder: dataDir, settings: { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off' } });

/** A data folder with one account, and a backup of it. */
async function openFolder() {
  const { dataDir } = await migratedDatabase('sqlite');
  writeFileSync(join(dataDir, 'secret.key'), 'k'.repeat(43));
  const people = join(dataDir, 'people.csv');
  writeFileSync(people, 'email\nann@example.com\n');
  expect(await run(['import', people], dataDir)).toMatchObject({ code: 0 });
  const backup = join((await freshDatabase('sqlite')).dataDir, 'today.sqlite');
  expect(await run(['backup', backup], dataDir)).toMatchObject({ code: 0 });
  return { dataDir, backup };
}

test('after a restore that was killed, no command and no service starts with an empty database', async () => {
  const { dataDir, backup } = await openFolder();
  const file = databaseFile(dataDir);
  mkdirSync(join(dataDir, 'before-restore-1'));
  renameSync(file, join(dataDir, 'before-restore-1', 'vestibule.sqlite'));
  writeFileSync(`${file}.restored`, 'half of it');

  const says = /a restore into .* was interrupted: run it again, or move the files in .*before-restore-.* back/;
  expect(await run(['accounts', 'find', 'ann'], dataDir)).toMatchObject({ code: 2, err: expect.stringMatching(says) });
  expect(await run(['doctor'], dataDir)).toMatchObject({ code: 1, out: expect.stringMatching(says) });
  await expect(startProcess({ dataDir })).rejects.toThrow(says);
  expect(existsSync(file)).toBe(false);

  expect(await run(['restore', backup], dataDir)).toMatchObject({ code: 0, err: '' });
  expect(await run(['accounts', 'find', 'ann'], dataDir)).toMatchObject({ code: 0 });
});

test('a restore for which there is no room leaves the data in place', async () => {
  const { dataDir, backup } = await openFolder();
  mkdirSync(join(dataDir, 'secret.key.restored'));
  expect(await run(['restore', backup], dataDir)).not.toMatchObject({ code: 0 });
  expect(await run(['accounts', 'find', 'ann'], dataDir)).toMatchObject({ code: 0 });
});

/** Leaves a journal as a command that was killed during a change of `file` does: SQLite plays it back into that name. */
function leaveJournal(file: string, journal: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode = delete; pragma secure_delete = on; pragma cache_size = 1; begin');
  for (const { name } of database.prepare("select name from sqlite_schema where type = 'table'").all())
    if (!String(name).startsWith('sqlite_')) database.exec(`drop table "${name}"`);
  copyFileSync(`${file}-journal`, journal);
  database.exec('rollback');
  database.close();
}

test.each(['restore', 'backup'])('a %s ignores what a killed one left behind', async (command) => {
  const { dataDir, backup } = await openFolder();
  const people = join(dataDir, 'people.csv');
  writeFileSync(people, `email\n${Array.from({ length: 300 }, (_, at) => `ann${at}@example.com\n`).join('')}`);
  expect(await run(['import', people], dataDir)).toMatchObject({ code: 0 });
  const newer = `${backup}.newer`;
  const left = command === 'restore' ? `${databaseFile(dataDir)}.restored-journal` : `${newer}.unfinished-journal`;
  leaveJournal(backup, left);
  expect(await run(['backup', newer], dataDir)).toMatchObject({ code: 0 });
  expect(await run(['restore', newer], dataDir)).toMatchObject({ code: 0, err: '' });
  expect(await run(['doctor'], dataDir)).toMatchObject({
    out: expect.stringContaining('intact, tables up to date, 301 accounts'),
  });
  expect(existsSync(left)).toBe(false);
});
