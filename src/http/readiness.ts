import { sql } from 'kysely';
import type { Service } from '../server/foundation.ts';

/** What a node cannot do without and does not have at the moment; empty when it is ready. */
export async function missingForWork({ store, outbox }: Service): Promise<string[]> {
  const missing = outbox.usable() ? [] : ['outbox'];
  const answers = await sql`select 1`.execute(store).then(
    () => true,
    () => false,
  );
  return answers ? missing : [...missing, 'database'];
}
