import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/units.ts';
import { openClient, type TestResponse } from '../../src/testing/client.ts';
import { form, password } from '../../src/testing/people.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { isReady, type Service } from '../fixtures/service.ts';
import { attempt, inParallel, insist, newAddress, newBrowser, registerPeople, tally } from '../fixtures/visitors.ts';

const clients = 8;
const lasts = seconds(5);
const backWithin = seconds(5);
/** Bytes by which the database can still grow. */
const left = 400_000;

async function play(stage: Stage): Promise<Row> {
  const database = await stage.fresh('sqlite');
  let service = await stage.start({ database });
  const people = await registerPeople(service.url, 10);
  const journal = statSync(join(database.dataDir, 'vestibule.sqlite-wal'));

  limitFiles(service, journal.size + left);
  const { responses, acknowledged } = await registerUntilFull(service.url);
  const isReported = await saysUnready(service.url);
  const refreshes = await Promise.all(people.map(({ browser }) => attempt(browser.post('/auth/refresh'))));
  limitFiles(service, undefined);
  const began = performance.now();
  while (!(await isReady(service.url)) && performance.now() - began < seconds(30)) await pause(50);
  const back = Math.round(performance.now() - began);
  const gone = await signOuts(service.url, people);

  await service.kill();
  service = await stage.start({ database, port: service.port });
  const signIns = await inParallel(6, acknowledged, (email) =>
    insist(() => newBrowser(service.url).post('/auth/login', { email, password })),
  );
  const missing = signIns.filter((response) => response?.status !== 200).length;
  return judged(
    {
      'registrations while the disk fills': tally(responses),
      'refreshes while it is full': tally(refreshes),
      'reports not ready': isReported ? 'yes' : 'no',
      'recovery, ms': back,
      'acknowledged but missing': `${missing} of ${acknowledged.length}`,
      'signed out': gone,
    },
    {
      'the disk was full': responses.some((response) => response?.status === 503),
      'each request gets a clear error': responses.every(
        (response) => response?.status === 201 || response?.status === 503,
      ),
      'no user is signed out': gone === 0 && refreshes.every((response) => [200, 503].includes(response?.status ?? 0)),
      'the node reports not ready': isReported,
      'recovery within 5 s': back <= backWithin,
      'no false acknowledgement': missing === 0,
    },
  );
}

/** Simulates a full disk: limits the file size of the process (setrlimit(2)); `undefined` removes the limit. */
function limitFiles({ pid }: Service, bytes: number | undefined): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`]);
}

/** Polls readiness: its trial write is small, and may still fit into space that registrations have left. */
async function saysUnready(url: string): Promise<boolean> {
  const until = performance.now() + seconds(5);
  while (performance.now() < until) {
    if (!(await isReady(url))) return true;
    await pause(20);
  }
  return false;
}

async function registerUntilFull(url: string) {
  const responses: (TestResponse | undefined)[] = [];
  const acknowledged: string[] = [];
  const until = performance.now() + lasts;
  const client = async () => {
    while (performance.now() < until) {
      const person = form({ name: 'A'.repeat(170) });
      const browser = openClient(url, { ip: newAddress() });
      const response = await attempt(browser.post('/auth/register', person));
      responses.push(response);
      if (response?.status === 201) acknowledged.push(String(person.email));
      await pause(10);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { responses, acknowledged };
}

async function signOuts(url: string, people: Awaited<ReturnType<typeof registerPeople>>): Promise<number> {
  const responses = await Promise.all(people.map(({ browser }) => insist(() => browser.post('/auth/refresh'))));
  const registered = await insist(() => newBrowser(url).post('/auth/register', form()));
  return responses.filter((response) => response?.status !== 200).length + (registered?.status === 201 ? 0 : 1);
}

export const drill: Drill = {
  promise: 'On a full disk the service acknowledges only what it has stored, and it recovers once there is space.',
  maxConcurrent: 1,
  scenes: [{ name: 'sqlite', play }],
};
