import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { days, hours } from '../src/contract/units.ts';
import { addOperatorKey } from '../src/operations/operators.ts';
import { type DatabaseSettings, engineOf, openStore, type Store } from '../src/store/database.ts';
import { oursWith } from './contenders.ts';
import type { Figures, Measurement } from './measure.ts';
import { signIns } from './requests.ts';
import type { OwnService } from './servers.ts';

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

/** Where most people have their mailbox. */
const largeDomain = 'post.example';

const firstNames = 'Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Karla Leo Mia Noah Olga Paul'.split(' ');
const syllables = 'ber sch mül ha lan ro ste wei kra fe gru ho'.split(' ');
const lastNames = syllables.flatMap((one) => syllables.flatMap((two) => syllables.map((three) => one + two + three)));

/** How many accounts there are between two that an operator locked. */
const lockedEach = 10_007;
const emailsEach = 5;

/** The n-th of the accounts that `addPeople` adds. */
function nthPerson(n: number) {
  const first = firstNames[n % firstNames.length] ?? '';
  const last = lastNames[n % lastNames.length] ?? '';
  const number = String((n * 7919) % 1_000_000_000).padStart(9, '0');
  const domain = n % 10 < 6 ? largeDomain : `d${n % 2000}.example`;
  return {
    id: `${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    email: `${first}.${last}.${n}@${domain}`.toLowerCase(),
    name: `${first} ${last}`,
    phone: `+4915${number}`,
  };
}

/** Adds accounts, their search keys and sent emails by SQL, in minutes for millions. */
async function addPeople(database: DatabaseSettings, count: number): Promise<void> {
  const store = openStore(database, { timeBudget: 3_600_000 });
  await addNames(store);
  const portion = 100_000;
  for (let from = 0; from < count; from += portion) await addAccounts(store, from, Math.min(count, from + portion));
  await addKeys(store);
  await addEmails(store, count);
  await sql`drop table bench_names`.execute(store);
  await sql`analyze`.execute(store);
  await store.destroy();
}

async function addNames(store: Store): Promise<void> {
  await sql`create table bench_names (i integer primary key, first text not null, last text not null)`.execute(store);
  const rows = lastNames.map((last, i) => sql`(${i}, ${firstNames[i % firstNames.length]}, ${last})`);
  for (let at = 0; at < rows.length; at += 500)
    await sql`insert into bench_names values ${sql.join(rows.slice(at, at + 500))}`.execute(store);
}

/** The numbers from `from` to `to` without it, as `numbers (n)`. */
const numbers = (store: Store, from: number, to: number) =>
  engineOf(store) === 'postgres'
    ? sql`numbers as (select n::bigint as n from generate_series(${sql.lit(from)}, ${sql.lit(to - 1)}) as n)`
    : sql`numbers (n) as (select ${sql.lit(from)} union all select n + 1 from numbers where n < ${sql.lit(to - 1)})`;

const hexOf = (store: Store, value: string, length: number) =>
  sql.raw(
    engineOf(store) === 'postgres' ? `lpad(to_hex(${value}), ${length}, '0')` : `printf('%0${length}x', ${value})`,
  );

const paddedTo9 = (store: Store, value: string) =>
  sql.raw(engineOf(store) === 'postgres' ? `lpad((${value})::text, 9, '0')` : `printf('%09d', ${value})`);

/** As `nthPerson`. */
async function addAccounts(store: Store, from: number, to: number): Promise<void> {
  const count = lastNames.length;
  const now = Date.now();
  await store.transaction().execute(async (trx) => {
    await sql`with recursive ${numbers(store, from, to)}
      insert into accounts (id, email, email_key, name, phone, phone_confirmed_at, locale, password_hash,
        password_changed_at, created_at, email_proven_at, locked_at, second_step_at)
      select ${hexOf(store, 'n * 2654435761 % 4294967296', 8)} || '-0000-4000-8000-' || ${hexOf(store, 'n', 12)},
        address, address, first || ' ' || last, phone, ${sql.lit(now)}, 'en', 'x', ${sql.lit(now)},
        ${sql.lit(now - days(1000))} + n * 10, ${sql.lit(now)},
        case when n % ${sql.lit(lockedEach)} = 0 then ${sql.lit(now)} end, case when n % 5 = 0 then ${sql.lit(now)} end
      from (
        select n, first, last, '+4915' || ${paddedTo9(store, 'n * 7919 % 1000000000')} as phone,
          lower(first || '.' || last || '.' || n || '@' ||
            case when n % 10 < 6 then ${sql.lit(largeDomain)} else 'd' || (n % 2000) || '.example' end) as address
        from numbers join bench_names on i = n % ${sql.lit(count)}
      ) as people`.execute(trx);
    await sql`delete from search_changes`.execute(trx);
  });
}

const digits = Array.from({ length: 13 }, (_, at) => `substr(phone, ${14 - at}, 1)`).join(' || ');

/** As the service would write them (`store/accounts/search-keys.ts`), in their order, which is much faster. */
async function addKeys(store: Store): Promise<void> {
  const plain = `replace(lower(name), 'ü', 'u')`;
  const space = engineOf(store) === 'postgres' ? `position(' ' in ${plain})` : `instr(${plain}, ' ')`;
  const at = engineOf(store) === 'postgres' ? `position('@' in email_key)` : `instr(email_key, '@')`;
  const kinds = [
    ['domain', `substr(email_key, ${at} + 1)`],
    ['email', 'email_key'],
    ['phone', 'substr(phone, 2)'],
    ['phone_end', digits],
    ['word', plain],
    ['word', `substr(${plain}, ${space} + 1) || ' ' || substr(${plain}, 1, ${space} - 1)`],
  ] as const;
  await sql`drop index search_keys_account`.execute(store);
  for (const [kind, key] of kinds)
    await sql`insert into search_keys (account_id, kind, key)
      select id, ${sql.lit(kind)}, key from (select id, ${sql.raw(key)} as key from accounts where password_hash = 'x') as keys
      order by key, id`.execute(store);
  await sql`create index search_keys_account on search_keys (account_id)`.execute(store);
}

async function addEmails(store: Store, count: number): Promise<void> {
  const now = Date.now();
  await sql`with recursive ${numbers(store, 0, Math.ceil(count / emailsEach))}
    insert into outbox (id, account_id, channel, notice, locale, recipient, params, created_at, due_at, attempts,
      leased_until, sent_at)
    select '00000000-0000-7000-8000-' || ${hexOf(store, 'n', 12)},
      ${hexOf(store, `n * ${emailsEach} * 2654435761 % 4294967296`, 8)} || '-0000-4000-8000-' || ${hexOf(store, `n * ${emailsEach}`, 12)},
      'email', 'new_device', 'en', 'someone@example.com', '{}', ${sql.lit(now)} - n, ${sql.lit(now)} - n, 1, 0, ${sql.lit(now)} - n
    from numbers`.execute(store);
}
