import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '../testing/client.ts';
import { runCommandProcess } from '../testing/command-line.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { form } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const ofYear = (year: number) => `vestibule-door.example-${year}-01-01T00-00-00.sqlite`;
/** What another installation has just made, and what it was making when it was killed. */
const fresh = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
const ofOthers = [`vestibule-staging.example-${fresh}.sqlite`, `vestibule-door-${fresh}.sqlite.unfinished`];

test('a service with BACKUP_DIR makes a restorable backup, deletes only its own old ones, and keeps BACKUPS_KEPT', async () => {
  const folder = emptyFolder();
  // One was made while the clock was ahead.
  const there = [ofYear(2023), ofYear(2024), ofYear(2025), ofYear(2999), 'mine.sqlite', ...ofOthers];
  for (const file of there) writeFileSync(join(folder, file), '');
  // A backup that was killed during its verification.
  const leftover = [`${ofYear(2025)}.unfinished`, `${ofYear(2025)}.unfinished-wal`, 'mine.sqlite.unfinished'];
  for (const file of leftover) writeFileSync(join(folder, file), '');
  const port = await freePort();
  const settings = { BACKUP_DIR: folder, BACKUPS_KEPT: '2', METRICS_PORT: String(port) };
  const service = await startProcess(await freshDatabase('sqlite'), settings);
  await expect.poll(() => service.log().map(({ msg }) => msg)).toContain('backup made');
  await expect.poll(() => readdirSync(folder)).toHaveLength(7);
  const kept = [...there.slice(2), 'mine.sqlite.unfinished'];
  const [made = '', ...others] = readdirSync(folder).filter((file) => !kept.includes(file));
  expect([made, others]).toEqual([expect.stringMatching(/^vestibule-door\.example-20\d\d-/), []]);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const [, at = 0] = /^vestibule_backup_timestamp_seconds (\d+)$/m.exec(metrics) ?? [];
  expect(new Date(Number(at) * 1000).toISOString().slice(0, 13)).toBe(
    made.replace('vestibule-door.example-', '').slice(0, 13),
  );

  expect(await openClient(service.url).post('/auth/register', form())).toSay('201');
  const DATA_DIR = emptyFolder();
  const restored = await runCommandProcess(['restore', join(folder, made)], {
    folder: DATA_DIR,
    settings: { DATA_DIR, PHONE_CONFIRMATION: 'off' },
  });
  expect(restored).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/0 accounts as of/) });
});

test('an unwritable folder appears in the log, and the service keeps running', async () => {
  const folder = join(emptyFolder(), 'file');
  writeFileSync(folder, '');
  const service = await startProcess(await freshDatabase('sqlite'), { BACKUP_DIR: folder });
  await expect.poll(() => service.log().map(({ msg }) => msg)).toContain('backup failed');
  expect(await openClient(service.url).post('/auth/register', form())).toSay('201');
});
