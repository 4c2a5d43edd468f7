import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { isBuildCurrent } from '../../testing/built.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { startProcess } from '../../testing/process.ts';
import { copyProject } from '../../testing/project-copy.ts';

/** The largest script in a folder of assets. */
const scriptIn = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .toSorted((a, b) => readFileSync(join(folder, b)).length - readFileSync(join(folder, a)).length)[0] ?? '';

test.runIf(isBuildCurrent())('a build with a truncated asset is refused with the name of the file', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const project = copyProject({ built: true });
  onTestFinished(project.remove);
  const folder = project.path('dist', 'client', 'assets');
  const file = join(folder, scriptIn(folder));
  truncateSync(file, 100);
  const { PATH, SystemRoot } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [project.path('dist', 'server', 'server.js')], {
    cwd: dataDir,
    env: { PATH, SystemRoot, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir },
    encoding: 'utf8',
    timeout: minutes(1),
  });
  expect(stderr).toBe(
    `Vestibule cannot start. Correct these settings:\n${file} is missing or incomplete: run \`npm run build\` again\n`,
  );
  expect(status).toBe(1);
});

test('a truncated copy of an asset, and truncated pages, in the data folder are replaced at the next start', async () => {
  const database = await freshDatabase('sqlite');
  const first = await startProcess(database, {}, { rendersAnew: true });
  await first.stop();
  const [build = ''] = readdirSync(join(database.dataDir, 'assets'));
  const folder = join(database.dataDir, 'assets', build);
  const name = scriptIn(folder);
  const whole = readFileSync(join(folder, name));
  truncateSync(join(folder, name), 100);
  const [pages = ''] = readdirSync(join(database.dataDir, 'pages'));
  truncateSync(join(database.dataDir, 'pages', pages), 100);
  const second = await startProcess(database, {}, { rendersAnew: true });
  const served = await fetch(`${second.url}/assets/${name}`, { headers: { 'accept-encoding': 'identity' } });
  expect(Buffer.from(await served.arrayBuffer())).toEqual(whole);
  expect((await fetch(`${second.url}/recovery/`)).status).toBe(200);
});
