// Throughput of the store alone, without HTTP and hashes; every change is durable:
// `node bench/store.ts [--postgres] [--accounts 1000] [--sessions 10] [--seconds 3]`; `--sessions` is per account.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { admit } from '../src/access/admit.ts';
import { passwordProof } from '../src/access/prove-password.ts';
import { sha256 } from '../src/security/macs.ts';
import { reserveAttempt } from '../src/store/access/lockouts.ts';
import { findSession, openRotations } from '../src/store/access/sessions.ts';
import { findSignInState } from '../src/store/access/sign-in-lookup.ts';
import { openStore } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { fill, openPostgres } from './fill-store.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
    postgres: { type: 'boolean' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
const postgres = values.postgres ? await openPostgres() : undefined;
const database = { dataDir: folder, databaseUrl: postgres?.url };
await migrate(database);
const store = openStore(database);

const persons = await fill(database, { people: Number(values.accounts), sessionsEach: Number(values.sessions) });
const rotate = openRotations(store);
const anyOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

const visitor = {
  ip: '192.0.2.1',
  userAgent: 'bench',
  timeZone: undefined,
  source: '192.0.2.1',
  networks: [],
  paidNetworks: [],
};

/** A sign-in in a browser that the account knows after the first one. */
async function signIn(): Promise<void> {
  const { email } = anyOf(persons);
  const now = Date.now();
  const deviceToken = `device of ${email}`;
  const deviceHash = sha256(deviceToken);
  const { account, lockout } = await findSignInState(store, { emailKey: email, emailHash: email, deviceHash, now });
  if (!account) throw new Error(`${email} has no account`);
  await reserveAttempt(store, lockout, now);
  const refusal = () => new Error('the password has changed');
  const proof = passwordProof({ method: 'password', account, lockout, refusal });
  await admit(service, { proof, browser: { visitor, deviceToken, formerSession: undefined }, isKnown: true });
}

const service = {
  store,
  now: Date.now,
  outbox: { wake: () => undefined },
  config: { relyingParty: undefined, SECOND_STEP: 'optional' as const },
  geoip: { of: () => undefined },
  parts: [],
};

/** Each client refreshes its own session, as a browser does. */
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
          // A browser's next request arrives over a socket, not in the same turn of the event loop.
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
