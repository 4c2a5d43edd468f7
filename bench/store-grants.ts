import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { days } from '../src/contract/units.ts';
import { cleanUp } from '../src/store/clean-up.ts';
import { type DatabaseSettings, type Engine, openStore } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import type { Figures } from './measure.ts';
import { fill, openPostgres } from './store-people.ts';

const clients = 1000;
const people = 1000;
const grants = clients * people;

/** Gives each of 1,000 accounts a grant of each of 1,000 clients, with a refresh token. A share of them has expired. */
export async function fillGrants(database: DatabaseSettings, { expired = 0 } = {}): Promise<void> {
  await fill(database, { people, sessionsEach: 1 });
  const store = openStore(database, { timeBudget: Number.POSITIVE_INFINITY });
  const now = Date.now();
  const end = sql`case when i < ${sql.raw(String(grants * expired))} then ${sql.raw(String(now - days(1)))} else ${sql.raw(String(now + days(30)))} end`;
  const payload = JSON.stringify({
    kind: 'RefreshToken',
    accountId: randomUUID(),
    scope: 'openid',
    pad: 'x'.repeat(300),
  });
  const numbers = sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.raw(String(grants - 1))})`;
  await sql`insert into clients (id, name, redirect_uris, post_logout_uris, groups, resources, signing, public, first_party, service, device, claims_in_id_token, from_file, created_at)
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.raw(String(clients - 1))})
    select 'filler' || i, 'Filler', '["https://filler.example/"]', '[]', '[]', '[]', 'ES256', 1, 1, 0, 0, 0, 0, 0 from n`.execute(
    store,
  );
  const owner = sql`join (select id, row_number() over (order by id) - 1 as place from accounts where password_hash like 'xxx%') as owners on owners.place = i % ${sql.raw(String(people))}`;
  await sql`insert into client_grants (id, account_id, client_id, session_id, sid, scopes, offline, late_answers, created_at, expires_at)
    ${numbers} select 'grant' || i, owners.id, 'filler' || (i / ${sql.raw(String(people))}), 'session' || i, 'sid', 'openid', 0, 0, ${sql.raw(String(now))}, ${end} from n ${owner}`.execute(
    store,
  );
  await sql`insert into openid_records (key, payload, grant_id, expires_at)
    ${numbers} select 'record' || i, ${sql.lit(payload)}, 'grant' || i, ${end} from n`.execute(store);
  await store.destroy();
}

/** Fills a database in which a share of the grants has expired, and cleans up as the service does every hour. */
export async function cleanUpGrants(engine: Engine, expired: number): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
  const postgres = engine === 'postgres' ? await openPostgres() : undefined;
  try {
    const database = { dataDir, databaseUrl: postgres?.url };
    await migrate(database);
    await fillGrants(database, { expired });
    return await cleanUpTimed(database);
  } finally {
    await postgres?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function cleanUpTimed(database: DatabaseSettings): Promise<Figures> {
  const deletions: number[] = [];
  const store = openStore(database, {
    onStatement({ sql: text, milliseconds }) {
      if (text.startsWith('delete')) deletions.push(milliseconds);
    },
  });
  const began = performance.now();
  const deleted = await cleanUp(store, { now: Date.now(), activityKept: days(365), recordsKept: days(365) });
  const seconds = (performance.now() - began) / 1000;
  await store.destroy();
  const sorted = deletions.toSorted((one, other) => one - other);
  return {
    'rows deleted': deleted,
    'rows per second': deleted / seconds,
    'p50 of a deletion, ms': sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    'p99 of a deletion, ms': sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  };
}
