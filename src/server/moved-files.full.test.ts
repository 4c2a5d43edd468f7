import { existsSync, renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { databaseFile } from '../store/sqlite/files.ts';
import { openClient, statusAndCode } from '../testing/client.ts';
import { migratedDatabase } from '../testing/databases/databases.ts';
import { form } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';

test.each(['', '-wal', '-shm'])(
  'while vestibule.sqlite%s is moved away, nothing is acknowledged, since a restart would lose it',
  async (suffix) => {
    const database = await migratedDatabase('sqlite');
    const service = await startProcess(database);
    const client = openClient(service.url);
    const register = async (email: string) => statusAndCode(await client.post('/auth/register', form({ email })));
    const readiness = async () => (await fetch(`${service.url}/readyz`)).status;
    expect(await register('before@example.com')).toMatch(/^201/);

    const file = `${databaseFile(database.dataDir)}${suffix}`;
    renameSync(file, `${file}.moved`);
    expect(await register('lost@example.com')).toBe('503 try_again_later');
    await expect.poll(readiness).toBe(503);
    expect(existsSync(file)).toBe(false);
    const says = expect.stringContaining(`${file} was moved, replaced or deleted`);
    await expect
      .poll(() => service.log().map(({ err }) => (err as { message?: string } | undefined)?.message))
      .toContainEqual(says);

    renameSync(`${file}.moved`, file);
    expect(await openClient(service.url).post('/auth/register', form({ email: 'after@example.com' }))).toHaveProperty(
      'status',
      201,
    );
    await expect.poll(readiness).toBe(200);
  },
);
