import { openDatabases } from './databases.ts';
import { killed } from './mail-kill.ts';
import { down, killedAfterData, refusing, slow } from './mail-servers.ts';
import type { Row } from './table.ts';

/** Mail at least once, under one Message-ID, and never a dead link; on both engines. */
export async function drill(): Promise<readonly Row[]> {
  const databases = openDatabases();
  const scenarios = [down, refusing, slow, killedAfterData, killed];
  try {
    const all = (['sqlite', 'postgres'] as const).flatMap((engine) =>
      scenarios.map(async (scenario) => scenario(await databases.fresh(engine))),
    );
    return await Promise.all(all);
  } finally {
    await databases.close();
  }
}
