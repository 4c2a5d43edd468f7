import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { expect, test } from 'vitest';
import { freshDatabase } from '../testing/databases/databases.ts';
import { startProcess } from '../testing/process.ts';

/** The niceness of each thread, by its name: the 19th field of its `stat`, counted from behind the name (proc(5)). */
function threadsOf(pid: number): [name: string, niceness: number][] {
  if (platform() !== 'linux') return [];
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((id) => {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`${tasks}/${id}/stat`, 'utf8')) ?? [];
    return [name, Number(rest.split(' ')[16])];
  });
}

test('where threads have priorities, those that compute hashes stand back behind the others', async () => {
  const database = await freshDatabase('sqlite');
  const first = await startProcess(database, { LOG_LEVEL: 'silent' });
  await first.stop();
  // A later start has less to do, and may not have needed these threads yet.
  const service = await startProcess(database, { LOG_LEVEL: 'silent' });
  const threads = threadsOf(service.pid);
  const nicenessOf = (wanted: boolean) => [
    ...new Set(threads.filter(([name]) => (name === 'libuv-worker') === wanted).map(([, niceness]) => niceness)),
  ];
  const [own] = nicenessOf(false);
  expect(nicenessOf(true)).toEqual(own === undefined ? [] : [Math.min(own + 10, 19)]);
});
