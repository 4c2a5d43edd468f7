import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDatabase, withPostgres } from '../testing/databases/databases.ts';
import { startProcess } from '../testing/process.ts';

test.runIf(withPostgres)('nodes that start at once on an empty database and data folder are all ready', async () => {
  const database = await freshDatabase('postgres');
  const nodes = await Promise.all(Array.from({ length: 4 }, () => startProcess(database, {}, { rendersAnew: true })));
  const answers = await Promise.all(nodes.map(({ url }) => fetch(`${url}/readyz`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  // One copy of the build, whole, and none that was left lying there.
  expect(readdirSync(join(database.dataDir, 'assets'))).toHaveLength(1);
});
