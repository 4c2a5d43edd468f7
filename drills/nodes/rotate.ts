import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { minutes, seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { openRoundRobin } from '../fixtures/proxies.ts';
import { type Service, vestibule } from '../fixtures/service.ts';
import { keepVisiting, kindsOf, type Person, registerPeople } from '../fixtures/visitors.ts';
import { openWrongClock } from '../fixtures/wrong-clock.ts';

const clients = 6;
/** Longer than a new key waits before it signs (`newKeysRest`). */
const rests = minutes(11);
/** Longer than the ten seconds after which nodes reload keys. */
const heardWithin = seconds(14);

async function play(stage: Stage, engine: Engine): Promise<Row> {
  const database = await stage.fresh(engine);
  const proxy = await openRoundRobin();
  stage.atEnd(() => proxy.close());
  const clock = openWrongClock(stage);
  const nodes: Service[] = [];
  while (nodes.length < (engine === 'postgres' ? 2 : 1)) nodes.push(await stage.start({ ...clock.start, database }));
  for (const node of nodes) proxy.add(node);
  const people = await registerPeople(proxy.url, clients);
  const before = signersOf(people);
  const stop = keepVisiting(proxy.url, people);
  await pause(seconds(2));

  await vestibule(database, ['keys', 'rotate']);
  await pause(heardWithin);
  const resting = signersOf(people);
  if (database.databaseUrl) await letKeysAge(database.databaseUrl);
  else await clock.put(rests);
  await pause(heardWithin + seconds(1));
  const { requests, failed } = await stop();
  const after = signersOf(people);
  return judged(
    { engine, nodes: nodes.length, requests, failed: failed.length, which: kindsOf(failed) },
    {
      'no user is signed out': !failed.some((one) => one.startsWith('refresh')),
      'no request fails': failed.length === 0,
      'a new key does not sign at first': resting === before,
      'a new key signs later': after !== before,
    },
  );
}

/** Ids of the keys that signed the current access tokens, from their headers (RFC 7515, section 4.1.4). */
const signersOf = (people: readonly Person[]): string => {
  const headers = people.map(({ browser }) => (browser.token ?? '').split('.', 1)[0] ?? '');
  return [...new Set(headers.map((header) => JSON.parse(Buffer.from(header, 'base64url').toString()).kid))].join();
};

/** Backdates the keys: the clock of PostgreSQL decides, and a drill cannot set that. */
async function letKeysAge(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('update keys set created_at = created_at - $1', [rests]);
  await client.end();
}

export const drill: Drill = {
  promise:
    'New keys never sign anyone out: they do not sign until every node knows them, and tokens from old keys stay valid.',
  maxConcurrent: 1,
  scenes: (['sqlite', 'postgres'] as const).map((engine) => ({ name: engine, play: (stage) => play(stage, engine) })),
};
