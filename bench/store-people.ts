import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { days } from '../src/contract/units.ts';
import { addAccount } from '../src/store/accounts/accounts.ts';
import { type DatabaseSettings, openStore, type Store } from '../src/store/database.ts';
import { startPostgres } from '../src/testing/databases/postgres.ts';

export interface Person {
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
