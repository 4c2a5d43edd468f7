import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { expect, test } from 'vitest';
import { freshDatabase } from '../testing/databases/databases.ts';
import { startProcess } from '../testing/process.ts';

/** The name and niceness of each thread: the 19th field of its `stat` (proc(5)), counted after the name. */
function threadsOf(pid: number): [name: string, niceness: number][] {
  if (platform() !== 'linux') return [];
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((id) => {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`${tasks}/${id}/stat`, 'utf8')) ?? [];
    return [name, Number(rest.split(' ')[16])];
  });
}

test('where threads have priorities, hash threads have a lower one than the others', async () => {
  const database = await freshDatabase('sqlite');
  const first = await startProcess(database, { LOG_LEVEL: 'silent' });
  await first.stop();
  // A later start does less, and may not have used these threads yet.
  const service = await startProcess(database, { LOG_LEVEL: 'silent' });
  const threads = threadsOf(service.pid);
  const nicenessOf = (wanted: boolean) => [
    ...new Set(threads.filter(([name]) => (name === 'libuv-worker') === wanted).map(([, niceness]) => niceness)),
  ];
  const [own] = nicenessOf(false);
  expect(nicenessOf(true)).toEqual(own === undefined ? [] : [Math.min(own + 10, 19)]);
});
