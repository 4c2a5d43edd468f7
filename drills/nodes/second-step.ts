import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { minutes } from '../../src/contract/units.ts';
import { codeOf, fromBase32, stepAt } from '../../src/security/factors.ts';
import type { Client, TestResponse } from '../../src/testing/client.ts';
import { addPasskey, signInOptions } from '../../src/testing/passkey-authenticator.ts';
import { type Drill, judged, type Row } from '../drill.ts';
import { attempt, inParallel, insist, newBrowser, type Person, registerPerson, tally } from '../fixtures/visitors.ts';
import { inOrder, openPair, type Pair } from './pair.ts';
import { openTab, refreshCookie } from './tabs.ts';

interface Protected extends Person {
  readonly recoveryCodes: readonly string[];
  /** A code of the app that no request has used: that of the next time step, which servers accept already. */
  code(): string;
}

/** Registers a person on the first node, and sets up an authenticator app. */
async function protectedPerson(pair: Pair): Promise<Protected> {
  const person = await registerPerson(pair.url(0));
  const enrolment = await insist(() => person.browser.post('/account/authenticator'));
  const { secret } = enrolment?.body ?? {};
  const bytes = fromBase32(secret) ?? Buffer.alloc(0);
  const codeIn = (steps: number) => codeOf(bytes, stepAt(Date.now()) + steps);
  const confirmed = await insist(() => person.browser.post('/account/authenticator/confirm', { code: codeIn(0) }));
  if (confirmed?.status !== 200) throw new Error(`no authenticator: ${JSON.stringify(confirmed?.body)}`);
  return { ...person, recoveryCodes: confirmed.body.recovery_codes, code: () => codeIn(1) };
}

/** A browser whose first factor was right. */
async function begin({ email, password }: Person, url: string): Promise<Client> {
  const browser = newBrowser(url);
  const response = await insist(() => browser.post('/auth/login', { email, password }));
  if (response?.body.code !== 'second_step_required')
    throw new Error(`no second step: ${JSON.stringify(response?.body)}`);
  return browser;
}

/** Browsers on both nodes in turn, which wait for the second step. */
const beginOnBoth = (pair: Pair, person: Person, many: number): Promise<Client[]> =>
  Promise.all(Array.from({ length: many }, (_, at) => begin(person, pair.url(at))));

const complete = (browsers: readonly Client[], proof: object): Promise<(TestResponse | undefined)[]> =>
  Promise.all(browsers.map((browser) => insist(() => browser.post('/auth/second-step', proof))));

const people = 5;
/** Fewer than the wrong codes that begin a lockout. */
const signIns = 4;

/** Sends one proof of each person from several sign-ins on both nodes. */
async function useTogether(pair: Pair, proofOf: (person: Protected) => object): Promise<string> {
  const responses: (TestResponse | undefined)[] = [];
  for (let turn = 0; turn < people; turn += 1) {
    const person = await protectedPerson(pair);
    const browsers = await beginOnBoth(pair, person, signIns);
    responses.push(...(await complete(browsers, proofOf(person))));
  }
  return inOrder(responses);
}

const stoppedTogether = 60;

/** Removals that take effect on both nodes while their owners stop them with the links in their emails. */
async function stopAtTheLastMoment(pair: Pair): Promise<string> {
  const owners = await inParallel(8, Array.from({ length: stoppedTogether }), () => protectedPerson(pair));
  const requests = await inParallel(8, owners, async (owner, at) => {
    const browser = await begin(owner, pair.url(at));
    return insist(() => browser.post('/auth/second-step/lost'));
  });
  if (requests.some((response) => response?.status !== 202)) throw new Error(`not requested: ${tally(requests)}`);
  const links = await Promise.all(owners.map(({ email }) => stopLinkOf(pair, email)));
  const database = new pg.Client({ connectionString: pair.databaseUrl });
  await database.connect();
  await database.query('update second_step_removals set due_at = requested_at');
  await firstRemoval(database);
  await database.end();
  const stops = await Promise.all(
    links.map((hash, at) => attempt(newBrowser(pair.url(at + 1)).post('/auth/second-step/keep', { hash }))),
  );
  // Removals that nobody stopped take effect with the next turn of a node.
  await pause(2000);
  const outcomes = await inParallel(8, owners, async ({ email, password }, at) => {
    const response = await insist(() => newBrowser(pair.url(at)).post('/auth/login', { email, password }));
    const isKept = response?.body.code === 'second_step_required';
    return (stops[at]?.status === 204) === isKept ? 'as answered' : 'otherwise';
  });
  return tally(outcomes.map((outcome) => (outcome === 'as answered' ? 1 : 0)));
}

async function stopLinkOf(pair: Pair, email: string): Promise<string> {
  for (const deadline = performance.now() + minutes(1); performance.now() < deadline; await pause(100)) {
    const texts = pair.emails.filter(({ envelope }) => envelope.to.includes(email)).map(({ mail }) => mail.text ?? '');
    const hash = texts.map((text) => /keep-second-step\/\?hash=([\w-]+)/.exec(text)?.[1]).find(Boolean);
    if (hash) return hash;
  }
  throw new Error('no link that stops the removal came');
}

/** Waits until a node has removed the first second step: each looks for due removals once a minute. */
async function firstRemoval(database: pg.Client): Promise<void> {
  for (const deadline = performance.now() + minutes(2); performance.now() < deadline; await pause(5)) {
    const { rows } = await database.query('select count(*)::int as left from second_step_removals');
    if (rows[0].left < stoppedTogether) return;
  }
  throw new Error('no node removed a second step');
}

interface Scene {
  readonly expected: string;
  play(pair: Pair): Promise<string>;
}

const scenes: Readonly<Record<string, Scene>> = {
  'one code of an authenticator app, in four sign-ins of each of five people': {
    expected: '200 ×5, 422 ×15',
    play: (pair) => useTogether(pair, (person) => ({ code: person.code() })),
  },
  'one recovery code, in four sign-ins of each of five people': {
    expected: '200 ×5, 422 ×15',
    play: (pair) => useTogether(pair, ({ recoveryCodes: [code] }) => ({ recovery_code: code })),
  },
  'one response to the challenge of a passkey, ten times': {
    expected: '200 ×10; 1 session',
    async play(pair) {
      const { browser } = await registerPerson(pair.url(0));
      const passkey = await addPasskey(browser);
      const visitor = newBrowser(pair.url(0));
      const credential = passkey.use(await signInOptions(visitor));
      const tabs = Array.from({ length: 10 }, (_, at) => openTab(visitor, pair.url(at)));
      const signIn = (tab: Client) => insist(() => tab.post('/auth/passkeys/login', { credential }));
      const responses = await Promise.all(tabs.map(signIn));
      // Repetitions of one browser get the first response.
      const sessions = new Set(tabs.map(({ cookies }) => cookies.get(refreshCookie)));
      return `${inOrder(responses)}; ${sessions.size} session`;
    },
  },
  '12 wrong codes in 12 sign-ins': {
    expected: '422 ×5, 429 ×7; then the right one: 429 ×2',
    async play(pair) {
      const person = await protectedPerson(pair);
      const wrong = inOrder(await complete(await beginOnBoth(pair, person, 12), { code: '000000' }));
      const right = await complete(await beginOnBoth(pair, person, 2), { code: person.code() });
      return `${wrong}; then the right one: ${inOrder(right)}`;
    },
  },
  '60 owners stop the removal of their second step while it takes effect': {
    expected: '1 ×60',
    play: stopAtTheLastMoment,
  },
};

export const drill: Drill = {
  promise:
    'Two nodes accept a code, a recovery code and a challenge once, count wrong codes as one, and keep a second step whose removal was stopped.',
  maxConcurrent: 1,
  scenes: Object.entries(scenes).map(([name, { expected, play }]) => ({
    name,
    async play(stage): Promise<Row> {
      const observed = await play(await openPair(stage));
      return judged(
        { 'simultaneously on both nodes': name, observed, expected },
        { 'as exactly as one node': observed === expected },
      );
    },
  })),
};
