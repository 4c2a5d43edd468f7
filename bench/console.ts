import { setTimeout as pause } from 'node:timers/promises';
import { hours } from '../src/contract/units.ts';
import { addOperatorKey } from '../src/operations/operators.ts';
import { openStore } from '../src/store/database.ts';
import { oursWith } from './contenders.ts';
import { addPeople, largeDomain, nthPerson } from './many-people.ts';
import type { Figures, Measurement } from './measure.ts';
import type { OwnService } from './own-service.ts';
import { signIns } from './requests.ts';

/** Sign-ins per second beside the operator. */
const signInsPerSecond = 17;
/** Requests of each kind; the slowest but one is the p99. */
const times = 150;
/** Each may search 100 times a minute. */
const operatorKeys = 40;

/** The console beside sign-ins, in a database of many accounts. */
export const operatorsConsole = (accounts: number): Measurement => ({
  says: `The console of operators beside ${signInsPerSecond} sign-ins per second, with ${accounts} accounts; p99 in ms`,
  contenders: async () =>
    oursWith({ people: 64, hasClients: false }, async (service) => {
      await addPeople(service.database, accounts);
      return measure(service, accounts);
    }),
});

async function measure(service: OwnService, accounts: number): Promise<Figures> {
  const { url, database } = service;
  const keys = await keysFor(database);
  const load = signInBeside(service);
  const figures: Record<string, number> = {};
  let turn = 0;
  let refused = 0;
  const read = async (path: string) => {
    turn += 1;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${keys[turn % keys.length]}` } });
    if (!response.ok) refused += 1;
    return (await response.json()) as { next?: string };
  };
  for (const [kind, pathOf] of Object.entries(await kindsOf(read, accounts))) {
    const taken: number[] = [];
    for (let count = 0; count < times; count += 1) {
      const path = pathOf(Math.floor(((count + 0.5) / times) * accounts));
      const began = performance.now();
      await read(path);
      taken.push(performance.now() - began);
      await pause(20);
    }
    taken.sort((one, other) => one - other);
    const at = (share: number) => taken[Math.floor(times * share)] ?? Number.NaN;
    process.stderr.write(`    ${kind}: median ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms\n`);
    figures[kind] = at(0.99);
  }
  return { 'sign-ins per second': await load.stop(), ...figures, refused };
}

type Read = (path: string) => Promise<{ next?: string }>;

/** What an operator does about the n-th person. */
async function kindsOf(read: Read, accounts: number) {
  const find = (text: string, more = '') => `/operators/people?q=${encodeURIComponent(text)}${more}`;
  const { next } = await read(find(`@${largeDomain}`));
  const person = (n: number) => nthPerson(Math.min(n, accounts - 1));
  return {
    'beginning of an email': (n: number) => find(person(n).email.slice(0, 7)),
    'whole email': (n: number) => find(person(n).email),
    'large domain': () => find(`@${largeDomain}`),
    'page 2': () => find(`@${largeDomain}`, `&cursor=${next}`),
    'small domain': (n: number) => find(`d${n % 2000}.example`),
    'words of a name': (n: number) => find(person(n).name.split(' ').reverse().join(' ').toLowerCase()),
    'first name': (n: number) => find(person(n).name.split(' ')[0] ?? ''),
    'beginning of a number': (n: number) => find(person(n).phone.slice(0, 9)),
    'last four digits': (n: number) => find(person(n).phone.slice(-4)),
    nobody: (n: number) => find(`zzz${n}`),
    'rare filter, large domain': () => find(`@${largeDomain}`, '&state=locked'),
    'newest without second step': () => '/operators/people?state=no_second_step',
    person: (n: number) => `/operators/people/${person(n).id}`,
    timeline: (n: number) => `/operators/people/${person(n).id}/timeline`,
    today: () => '/operators/today',
    statistics: () => '/operators/statistics?by=hour',
  } satisfies Record<string, (n: number) => string>;
}

async function keysFor(database: OwnService['database']): Promise<readonly string[]> {
  const store = openStore(database);
  const now = Date.now();
  const operator = { kind: 'command', actor: 'bench', origin: 'host', reason: undefined } as const;
  const keys: string[] = [];
  for (let count = 0; count < operatorKeys; count += 1) {
    const name = `bench ${count}`;
    const wanted = { name, role: 'support' as const, addresses: [], expiresAt: now + hours(24) };
    keys.push((await addOperatorKey({ store, operator, now }, wanted)).key);
  }
  await store.destroy();
  return keys;
}

/** Signs people in at an even pace; `stop` returns how many succeeded per second. */
function signInBeside(service: OwnService) {
  const requests = signIns(service);
  const began = performance.now();
  let sent = 0;
  let served = 0;
  const timer = setInterval(() => {
    const request = requests[sent % requests.length];
    sent += 1;
    if (!request) return;
    const { path, ...rest } = request;
    void fetch(service.url + path, rest).then(
      async (response) => {
        await response.arrayBuffer();
        if (response.ok) served += 1;
      },
      () => undefined,
    );
  }, 1000 / signInsPerSecond);
  return {
    async stop() {
      clearInterval(timer);
      return served / ((performance.now() - began) / 1000);
    },
  };
}
