import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { days } from '../src/contract/units.ts';
import { addAccount } from '../src/store/accounts/accounts.ts';
import { cleanUp } from '../src/store/clean-up.ts';
import { type DatabaseSettings, type Engine, openStore, type Store } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { startPostgres } from '../src/testing/databases/postgres.ts';
import type { Figures } from './measure.ts';

interface Person {
  readonly email: string;
  readonly sessions: { readonly id: string; generation: number }[];
}

interface PeopleCount {
  readonly people: number;
  /** Sessions of each person. */
  readonly sessionsEach: number;
}

/** The tests' throwaway server, but with durable commits. */
export async function openPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  const { url, stop } = await startPostgres();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await client.query(`alter system set ${setting} = on`);
  await client.query('select pg_reload_conf()');
  await client.end();
  return { url, close: async () => stop() };
}

/** Fills a migrated database. */
export async function fill(database: DatabaseSettings, wanted: PeopleCount): Promise<Person[]> {
  const patient = openStore(database, { timeBudget: 600_000 });
  const made = await populate(patient, wanted);
  await patient.destroy();
  return made;
}

async function populate(into: Store, { people, sessionsEach }: PeopleCount): Promise<Person[]> {
  const made: Person[] = [];
  const now = Date.now();
  while (made.length < people) {
    await into.transaction().execute(async (trx) => {
      for (let count = 0; count < 1000 && made.length < people; count += 1) {
        const id = randomUUID();
        const email = `${id}@example.com`;
        await addAccount(trx, {
          id,
          email,
          name: 'Anna Berg',
          phone: '+4915123456789',
          phone_confirmed_at: now,
          organization: null,
          inn: null,
          promo_code: null,
          locale: 'de',
          db_type: null,
          last_place: null,
          password_hash: 'x'.repeat(97),
          password_changed_at: now,
          created_at: now,
        });
        const sessions = Array.from({ length: sessionsEach }, () => ({
          id: randomBytes(16).toString('base64url'),
          generation: 0,
        }));
        await trx
          .insertInto('sessions')
          .values(
            sessions.map((session) => ({
              ...session,
              account_id: id,
              rotated_at: now,
              created_at: now,
              expires_at: now + days(30),
              ended_at: null,
              end_reason: null,
              late_answers: 0,
              shared: 0 as const,
              amr: 'pwd',
              acr: 'aal1' as const,
              ip: '192.0.2.1',
              user_agent:
                'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
            })),
          )
          .execute();
        made.push({ email, sessions });
      }
    });
  }
  return made;
}

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
  const deleted = await cleanUp(store, { now: Date.now(), activityKept: days(365), others: [] });
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
