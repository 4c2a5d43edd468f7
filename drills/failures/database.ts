import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { seconds } from '../../src/contract/units.ts';
import { type Client, statusAndCode, type TestResponse } from '../../src/testing/client.ts';
import { startPostgres } from '../../src/testing/databases/postgres.ts';
import { form } from '../../src/testing/people.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { openProxy } from '../fixtures/proxies.ts';
import type { DatabaseLocation } from '../fixtures/service.ts';
import { attempt, newBrowser, type Person, percentile, registerPeople, tally } from '../fixtures/visitors.ts';

const clients = 8;
const lasts = seconds(5);
/** Two seconds, plus the time that a busy machine needs to notice. */
const responseTimeout = seconds(2) + 500;
const backWithin = seconds(5);
const allowedGuesses = 5;
/** Statuses of requests that the database cannot serve or that a rate limit refuses. */
const refusals = [503, 429];

interface ObservedResponse {
  /** Index into `doings`. */
  readonly kind: number;
  readonly response: TestResponse | undefined;
  readonly began: number;
  readonly took: number;
}

async function play(stage: Stage, name: string): Promise<Row> {
  const outage = await (outages[name] as (typeof outages)[string])(stage);
  const { url } = await stage.start({ database: outage.ground, settings: { RECOVERY_MAILS_PER_ACCOUNT: '1000' } });
  const [victim, ...people] = await registerPeople(url, clients + 1);
  const guess = guessAt(url, (victim as Person).email);
  for (let guesses = 1; guesses < allowedGuesses; guesses += 1) await guess();

  const load = openLoad(url, people);
  await pause(500);
  const began = performance.now();
  await outage.begin();
  const complete = performance.now();
  while (performance.now() - began < lasts) await guess();
  const over = performance.now();
  await outage.end();
  const back = await timeUntilAllWorks(url, people[0] as Person);
  const heard = await load.stop();
  for (let guesses = 0; guesses < 2 * allowedGuesses; guesses += 1) await guess();

  // Includes requests that begin during the outage and end after it.
  const asked = heard.filter((one) => one.began > began && one.began < over);
  const took = asked.map((one) => one.took);
  const meanwhile = asked.filter((one) => one.began + one.took < over);
  const status = meanwhile.map(({ response }) => response?.status ?? 0);
  const isSlow = name.startsWith('slow');
  const signedOut = await signOuts(people);
  return judged(
    {
      PostgreSQL: name,
      'responses during the outage': tally(meanwhile.map(({ response }) => response)),
      'p50, max, ms': `${percentile(took, 0.5)}, ${percentile(took, 1)}`,
      'recovery, ms': Math.round(back),
      'guesses checked': guess.lookedAt(),
      'signed out': signedOut,
    },
    {
      'each request gets a clear response': status.every((one) => refusals.includes(one) || (one >= 200 && one < 300)),
      'response within 2 s': took.length > 0 && Math.max(...took) < responseTimeout,
      'nothing succeeds without the database':
        isSlow ||
        name === 'restarted' ||
        meanwhile.every(({ response, began: at }) => at < complete || refusals.includes(response?.status ?? 0)),
      'a slow database does not count as down':
        !isSlow || doings.every((_, kind) => meanwhile.some((one) => one.kind === kind && isServed(one))),
      'recovery within 5 s': back <= backWithin,
      'limits stay closed': guess.lookedAt() <= allowedGuesses,
      'no user is signed out': signedOut === 0,
    },
  );
}

/** Requests that each user repeats in sequence. */
const doings: readonly ((url: string, person: Person) => Promise<TestResponse>)[] = [
  (_, { browser }) => browser.post('/auth/refresh'),
  (url, { email, password }) => newBrowser(url).post('/auth/login', { email, password }),
  (url) => newBrowser(url).post('/auth/register', form()),
  (url, { email }) => newBrowser(url).post('/auth/recovery', { email, locale: 'en' }),
];

const isServed = ({ response }: ObservedResponse): boolean => response !== undefined && response.status < 300;

function openLoad(url: string, people: readonly Person[]) {
  const heard: ObservedResponse[] = [];
  let isOver = false;
  const client = async (person: Person, first: number) => {
    for (let turn = first; !isOver; turn += 1) {
      const kind = turn % doings.length;
      const began = performance.now();
      const response = await attempt((doings[kind] as (typeof doings)[number])(url, person));
      heard.push({ kind, response, began, took: performance.now() - began });
      // Keeps the load realistic: a browser does not send a thousand requests a second.
      await pause(20);
    }
  };
  const clients = people.map(client);
  return {
    async stop(): Promise<readonly ObservedResponse[]> {
      isOver = true;
      await Promise.all(clients);
      return heard;
    },
  };
}

/** Sends wrong passwords for one account, and counts the ones that the service checked. */
function guessAt(url: string, email: string) {
  let lookedAt = 0;
  const guess = async () => {
    const response = await attempt(newBrowser(url).post('/auth/login', { email, password: 'a wrong one' }));
    if (response?.status === 401) lookedAt += 1;
    await pause(50);
  };
  return Object.assign(guess, { lookedAt: () => lookedAt });
}

/** Milliseconds until each kind of request is served again, at most a minute. */
async function timeUntilAllWorks(url: string, person: Person): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < seconds(60)) {
    const responses = await Promise.all(doings.map((work) => attempt(work(url, person))));
    if (responses.every((response) => response !== undefined && response.status < 300)) break;
    await pause(50);
  }
  return performance.now() - began;
}

async function signOuts(people: readonly Person[]): Promise<number> {
  const responses = await Promise.all(people.map(({ browser }) => lastWord(browser)));
  return responses.filter((word) => word.startsWith('401')).length;
}

const lastWord = async (browser: Client): Promise<string> => statusAndCode(await browser.post('/auth/refresh'));

/** An outage of a database, and its end. */
interface Outage {
  readonly ground: DatabaseLocation;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

type OpenOutage = (stage: Stage) => Promise<Outage>;

const onTheWay =
  (begin: 'refuse' | 'hold' | ((proxy: Awaited<ReturnType<typeof openProxy>>) => void)): OpenOutage =>
  async (stage) => {
    const { dataDir, databaseUrl = '' } = await stage.fresh('postgres');
    const proxy = await openProxy(databaseUrl);
    stage.atEnd(() => proxy.close());
    return {
      ground: { dataDir, databaseUrl: proxy.url },
      begin: () => (typeof begin === 'string' ? proxy[begin]() : begin(proxy)),
      end: () => proxy.heal(),
    };
  };

/** The service uses its own role, whose connection limit drops to zero for a while. */
const outOfConnections: OpenOutage = async (stage) => {
  const { dataDir, databaseUrl = '' } = await stage.fresh('postgres');
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  stage.atEnd(() => admin.end());
  const name = new URL(databaseUrl).pathname.slice(1);
  await admin.query(`create role ${name} login password 'drill'`);
  await admin.query(`alter database ${name} owner to ${name}`);
  return {
    ground: { dataDir, databaseUrl: Object.assign(new URL(databaseUrl), { username: name, password: 'drill' }).href },
    async begin() {
      await admin.query(`alter role ${name} connection limit 0`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name]);
    },
    async end() {
      await admin.query(`alter role ${name} connection limit -1`);
    },
  };
};

/** Uses a separate PostgreSQL server. */
const restarted: OpenOutage = async (stage) => {
  const { dataDir } = await stage.fresh('sqlite');
  const postgres = await startPostgres();
  stage.atEnd(() => postgres.stop());
  return { ground: { dataDir, databaseUrl: postgres.url }, begin: () => postgres.restart(), end: () => undefined };
};

const outages: Readonly<Record<string, OpenOutage>> = {
  down: onTheWay('refuse'),
  hung: onTheWay('hold'),
  'slow (50 ms each way)': onTheWay((proxy) => proxy.delay(50)),
  'out of connections': outOfConnections,
  restarted,
};

export const drill: Drill = {
  promise:
    'Without PostgreSQL, requests fail clearly within 2 s and limits stay closed; service resumes within 5 s without a restart.',
  maxConcurrent: 1,
  scenes: Object.keys(outages).map((name) => ({ name, play: (stage) => play(stage, name) })),
};
