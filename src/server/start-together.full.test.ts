import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDatabase, withPostgres } from '../testing/databases/databases.ts';
import { startProcess } from '../testing/process.ts';

test.runIf(withPostgres)(
  'nodes that start together on an empty database and data folder all become ready',
  async () => {
    const database = await freshDatabase('postgres');
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startProcess(database, {}, { rendersAnew: true })));
    const responses = await Promise.all(nodes.map(({ url }) => fetch(`${url}/readyz`)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // One complete copy of the build, and no temporary one left over.
    expect(readdirSync(join(database.dataDir, 'assets'))).toHaveLength(1);
  },
);
