import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Client, openClient, type TestResponse } from '../../src/testing/client.ts';
import { form, password } from '../../src/testing/people.ts';
import { type Drill, judged, type Row } from '../drill.ts';
import { insist, newAddress, newBrowser, registerPerson } from '../fixtures/visitors.ts';
import { hashIn, inOrder, openPair, type Pair } from './pair.ts';
import { openTab } from './tabs.ts';

/** Simultaneous requests to both nodes, and their exact result. */
interface Scene {
  readonly settings?: Readonly<Record<string, string>>;
  /** Both nodes start on an empty database, over a slow connection. */
  readonly meetsEmpty?: true;
  play(pair: Pair): Promise<{ readonly observed: string; readonly expected: string }>;
}

/** Sends the same request from several browsers, half of them to each node. */
const inBoth = (pair: Pair, many: number, send: (browser: Client, at: number) => Promise<TestResponse>) =>
  Promise.all(
    Array.from({ length: many }, (_, at) => {
      const browser = newBrowser(pair.url(at));
      return insist(() => send(browser, at));
    }),
  );

async function resetLink(pair: Pair, email: string): Promise<string> {
  await newBrowser(pair.url(0)).post('/auth/recovery', { email, locale: 'en' });
  const emails = await pair.emailsTo(email, 2);
  return emails.map(hashIn).find((hash) => hash !== undefined) ?? 'no link came';
}

const scenes: Readonly<Record<string, Scene>> = {
  'started simultaneously on an empty database': {
    meetsEmpty: true,
    async play(pair) {
      const { email } = await registerPerson(pair.url(0));
      return {
        observed: inOrder(await inBoth(pair, 2, (b) => b.post('/auth/login', { email, password }))),
        expected: '200 ×2',
      };
    },
  },
  'one address is registered 20 times': {
    async play(pair) {
      const person = form();
      const register = () => inBoth(pair, 20, (browser) => browser.post('/auth/register', person));
      const responses = await meetAtInsert(pair.databaseUrl, 'accounts', register);
      return { observed: inOrder(responses), expected: '201 ×1, 409 ×19' };
    },
  },
  '40 wrong passwords': {
    async play(pair) {
      const { email } = await registerPerson(pair.url(0));
      const guess = (browser: Client, at: number) => browser.post('/auth/login', { email, password: `wrong ${at}` });
      const responses = await inBoth(pair, 40, guess);
      const right = await inBoth(pair, 2, (browser) => browser.post('/auth/login', { email, password }));
      return { observed: `${inOrder(responses)}; then ${inOrder(right)}`, expected: '401 ×5, 429 ×35; then 429 ×2' };
    },
  },
  'a reset link is used 20 times': {
    async play(pair) {
      const { email } = await registerPerson(pair.url(0));
      const hash = await resetLink(pair, email);
      const fresh = 'a new roof of tin';
      const use = (browser: Client) =>
        browser.post('/auth/reset-password', { email, hash, password: fresh, password_repeat: fresh });
      const responses = await inBoth(pair, 20, use);
      const signIns = await inBoth(pair, 2, (b) => b.post('/auth/login', { email, password: fresh }));
      return { observed: `${inOrder(responses)}; then ${inOrder(signIns)}`, expected: '204 ×1, 410 ×19; then 200 ×2' };
    },
  },
  '24 links requested by six sources, 12 an hour allowed': {
    settings: { RECOVERY_MAILS_PER_ACCOUNT: '3' },
    async play(pair) {
      const { email } = await registerPerson(pair.url(0));
      const sources = Array.from({ length: 6 }, newAddress);
      const ask = (_: Client, at: number) =>
        openClient(pair.url(at), { ip: sources[at % 6] as string }).post('/auth/recovery', { email, locale: 'en' });
      await inBoth(pair, 24, ask);
      const links = (await pair.emailsTo(email, 13)).filter((message) => hashIn(message));
      return { observed: `${links.length} links`, expected: '12 links' };
    },
  },
  '40 links requested from one address, 10 allowed': {
    settings: { RECOVERY_MAILS_PER_ADDRESS: '10' },
    async play(pair) {
      const ip = newAddress();
      const ask = (_: Client, at: number) =>
        openClient(pair.url(at), { ip }).post('/auth/recovery', { email: `nobody${at}@example.com`, locale: 'en' });
      return { observed: inOrder(await inBoth(pair, 40, ask)), expected: '202 ×10, 429 ×30' };
    },
  },
  'a promo code of 5 uses is used 20 times': {
    async play(pair) {
      await pair.run('promo', 'add', 'ROOFS2026', '--uses', '5');
      const register = (browser: Client) => browser.post('/auth/register', form({ promo_code: 'ROOFS2026' }));
      return { observed: inOrder(await inBoth(pair, 20, register)), expected: '201 ×5, 422 ×15' };
    },
  },
  '40 emails': {
    async play(pair) {
      const people = Array.from({ length: 40 }, () => form());
      await inBoth(pair, 40, (browser, at) => browser.post('/auth/register', people[at]));
      await pair.emailsTo(String(people.at(-1)?.email), 1);
      const each = people.map(({ email }) => pair.emails.filter(({ envelope }) => envelope.to.includes(String(email))));
      return { observed: `each ×${[...new Set(each.map(({ length }) => length))].join(' or ×')}`, expected: 'each ×1' };
    },
  },
  'a copied token': {
    async play(pair) {
      const { browser } = await registerPerson(pair.url(0));
      const [copy, owner] = [openTab(browser, pair.url(1)), openTab(browser, pair.url(0))];
      await owner.post('/auth/refresh');
      await owner.post('/auth/refresh');
      const responses = [await copy.post('/auth/refresh'), await owner.post('/auth/refresh')];
      const reasons = responses.map(({ status, body }) => `${status} ${body.reason}`).join(', ');
      return { observed: reasons, expected: '401 reused, 401 reused' };
    },
  },
};

/** Milliseconds; less than the timeout of a request's statement. */
const longest = 800;

/**
 * Holds all inserts into a table until two of them wait, so that they race even on a busy machine, where one request
 * would end before the next one begins.
 */
async function meetAtInsert<T>(databaseUrl: string, table: string, send: () => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(`lock table ${table} in share mode`);
    const sent = send();
    const began = performance.now();
    let waiting = 0;
    while (waiting < 2 && performance.now() - began < longest) {
      await pause(5);
      const { rows } = await holder.query<{ waiting: number }>(
        'select count(*)::int as waiting from pg_locks where relation = $1::regclass and not granted',
        [table],
      );
      waiting = rows[0]?.waiting ?? 0;
    }
    await holder.query('commit');
    return await sent;
  } finally {
    await holder.end();
  }
}

export const drill: Drill = {
  promise: 'Two nodes on one PostgreSQL count, lock and send as exactly as one.',
  maxConcurrent: 1,
  scenes: Object.entries(scenes).map(([name, { play, ...ground }]) => ({
    name,
    async play(stage): Promise<Row> {
      const { observed, expected } = await play(await openPair(stage, ground));
      return judged(
        { 'simultaneously on both nodes': name, observed, expected },
        { 'as exactly as one node': observed === expected },
      );
    },
  })),
};
