// What the store alone does in a second, without HTTP and hashes, every change durable:
// `node bench/store.ts [--postgres] [--accounts 1000] [--sessions 10] [--seconds 3]`; sessions are those of each account.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { days } from '../src/contract/durations.ts';
import { addAccount, findAccountByEmail, isPasswordOf } from '../src/store/accounts.ts';
import { beginSession } from '../src/store/begin-session.ts';
import { openStore, type Store } from '../src/store/database.ts';
import { isKnownDevice } from '../src/store/devices.ts';
import { addressLock, attemptSucceeded, lockedUntil, reserveAttempt } from '../src/store/lockouts.ts';
import { migrate } from '../src/store/migrate.ts';
import { openRotations } from '../src/store/rotations.ts';
import { findSession } from '../src/store/sessions.ts';
import { startPostgres } from '../src/testing/postgres.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
    postgres: { type: 'boolean' },
  },
});
const people = Number(values.accounts);
const sessionsEach = Number(values.sessions);

const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
const postgres = values.postgres ? await openPostgres() : undefined;
const database = { dataDir: folder, databaseUrl: postgres?.url };
await migrate(database);
const store = openStore(database);

interface Person {
  readonly email: string;
  readonly sessions: { readonly id: string; generation: number }[];
}

const persons = await fill();
const rotate = openRotations(store);
const anyOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

async function signIn(): Promise<void> {
  const { email } = anyOf(persons);
  const now = Date.now();
  const lock = addressLock(`${email}${Math.floor(Math.random() * 100)}`);
  const account = await findAccountByEmail(store, email);
  if (!account) throw new Error(`${email} is not there`);
  await isKnownDevice(store, { tokenHash: 'unknown', accountId: account.id, since: 0 });
  await lockedUntil(store, lock, now);
  await reserveAttempt(store, lock, now);
  await store.transaction().execute(async (trx) => {
    await isPasswordOf(trx, account);
    await attemptSucceeded(trx, lock);
    await beginSession(trx, {
      sessionId: randomBytes(16).toString('base64url'),
      accountId: account.id,
      deviceHash: randomBytes(32).toString('base64url'),
      visitor: {
        ip: '192.0.2.1',
        userAgent: 'bench',
        timeZone: 'Europe/Berlin',
        source: '192.0.2.1',
        networks: [],
        paidNetworks: [],
      },
      kind: 'signed_in',
      now,
    });
  });
}

/** A client has a session of its own, as a browser has. */
function refresher(): () => Promise<void> {
  const session = (anyOf(persons).sessions.splice(0, 1)[0] ?? anyOf(anyOf(persons).sessions)) as {
    id: string;
    generation: number;
  };
  return async () => {
    const rotated = await rotate({ id: session.id, generation: session.generation, now: Date.now() });
    if (!rotated) throw new Error(`${session.id} did not rotate from ${session.generation}`);
    session.generation = rotated.generation;
  };
}

async function read(): Promise<void> {
  const { sessions } = anyOf(persons);
  if (sessions.length > 0) await findSession(store, anyOf(sessions).id);
}

interface Kind {
  readonly name: string;
  readonly clients: number;
  client(): () => Promise<void>;
}

async function measure(kinds: readonly Kind[]): Promise<void> {
  const until = performance.now() + Number(values.seconds) * 1000;
  const began = performance.now();
  const busy = process.cpuUsage();
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
  await Promise.all(
    kinds.flatMap((kind) =>
      Array.from({ length: kind.clients }, async () => {
        const once = kind.client();
        while (performance.now() < until) {
          const from = performance.now();
          await once();
          times.get(kind)?.push(performance.now() - from);
          // A browser's next request comes over a socket, not at once.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }),
    ),
  );
  const elapsed = performance.now() - began;
  const cpu = process.cpuUsage(busy);
  for (const [kind, all] of times) {
    all.sort((one, other) => one - other);
    const at = (share: number) => (all[Math.floor(all.length * share)] ?? 0).toFixed(2);
    const each = ((cpu.user + cpu.system) / all.length).toFixed(0);
    process.stdout.write(
      `${kind.name.padEnd(34)} ${String(Math.round(all.length / (elapsed / 1000))).padStart(7)}/s  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  max ${at(0.9999)} ms  ${kinds.length === 1 ? `${each} µs CPU each` : ''}\n`,
    );
  }
}

const rotations = (clients: number): Kind => ({ name: `rotations, ${clients} clients`, clients, client: refresher });
const signIns = (clients: number): Kind => ({ name: `sign-ins, ${clients} clients`, clients, client: () => signIn });
const reads = (clients: number): Kind => ({ name: `session by id, ${clients} clients`, clients, client: () => read });

for (const kinds of [
  [rotations(1)],
  [rotations(64)],
  [rotations(320)],
  [signIns(1)],
  [signIns(16)],
  [signIns(64)],
  [reads(64)],
  [signIns(16), rotations(16), reads(16)],
])
  await measure(kinds);

await store.destroy();
await postgres?.close();
rmSync(folder, { recursive: true });

/** The tests' throw-away server, but one that waits for its disk. */
async function openPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  const { url, stop } = await startPostgres();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await client.query(`alter system set ${setting} = on`);
  await client.query('select pg_reload_conf()');
  await client.end();
  return { url, close: async () => stop() };
}

async function fill(): Promise<Person[]> {
  const patient = openStore(database, { waitsFor: 600_000 });
  const made = await populate(patient);
  await patient.destroy();
  return made;
}

async function populate(into: Store): Promise<Person[]> {
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
