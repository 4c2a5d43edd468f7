import { type Client, statusAndCode, type TestResponse, untilServed } from '../../src/testing/client.ts';
import type { MailServer } from '../../src/testing/mail/smtp-server.ts';
import { form, password } from '../../src/testing/people.ts';
import { attempt, inParallel, newBrowser } from '../fixtures/visitors.ts';

/** Record of the service's responses to one person, kept outside the service. */
interface Entry {
  readonly person: Record<string, unknown>;
  readonly email: string;
  isAcknowledged: boolean;
  /** The last password that the service acknowledged. */
  password: string;
  /** A reset without a response: it must have happened completely or not at all. */
  unanswered: { readonly password: string; readonly hash: string } | undefined;
  /** Hash of a used link. */
  used: string | undefined;
  /** Browsers whose sign-in the service acknowledged. */
  browsers: Client[];
  /** Browsers signed out by a reset. */
  former: Client[];
  isBusy: boolean;
}

export interface Ledger {
  readonly entries: readonly Entry[];
  /** Responses that no user should ever get. */
  readonly wrong: string[];
  /** Acknowledgements by action. */
  readonly done: Record<'registrations' | 'sign-ins' | 'refreshes' | 'resets', number>;
  /** Performs one random action of a user, until it gets a response or fails. */
  act(url: string): Promise<void>;
}

export function openLedger(mail: MailServer): Ledger {
  const entries: Entry[] = [];
  const wrong: string[] = [];
  const done = { registrations: 0, 'sign-ins': 0, refreshes: 0, resets: 0 };

  async function register(url: string): Promise<void> {
    const person = form();
    const email = String(person.email);
    const entry: Entry = {
      ...{ person, email, password, isAcknowledged: false, isBusy: true, browsers: [], former: [] },
      ...{ unanswered: undefined, used: undefined },
    };
    entries.push(entry);
    const browser = newBrowser(url);
    const response = await attempt(browser.post('/auth/register', person));
    entry.isBusy = false;
    if (response?.status !== 201) return;
    entry.isAcknowledged = true;
    entry.browsers.push(browser);
    done.registrations += 1;
  }

  async function signIn(url: string, entry: Entry): Promise<void> {
    const browser = newBrowser(url);
    const response = await attempt(browser.post('/auth/login', { email: entry.email, password: entry.password }));
    if (response?.status === 401) wrong.push(`a correct password was refused: ${JSON.stringify(response.body)}`);
    if (response?.status !== 200) return;
    entry.browsers.push(browser);
    done['sign-ins'] += 1;
  }

  async function refresh(entry: Entry): Promise<void> {
    const browser = entry.browsers[Math.floor(Math.random() * entry.browsers.length)];
    const response = browser && (await attempt(browser.post('/auth/refresh')));
    if (response?.status === 401) wrong.push(`a user was signed out: ${JSON.stringify(response.body)}`);
    if (response?.status === 200) done.refreshes += 1;
  }

  async function reset(url: string, entry: Entry): Promise<void> {
    const browser = newBrowser(url);
    const asked = await attempt(browser.post('/auth/recovery', { email: entry.email, locale: 'en' }));
    const hash = asked?.status === 202 ? await linkTo(entry.email, mail) : undefined;
    if (!hash) return;
    const next = `${entry.password} again`;
    const changed = { email: entry.email, hash, password: next, password_repeat: next };
    const response = await attempt(browser.post('/auth/reset-password', changed));
    // On a busy database, a change may succeed although its request got a 503.
    if (!response || response.status === 503) entry.unanswered = { password: next, hash };
    if (response?.status !== 204) return;
    Object.assign(entry, { password: next, used: hash, browsers: [], former: entry.browsers });
    done.resets += 1;
  }

  return {
    entries,
    wrong,
    done,
    async act(url) {
      const free = entries.filter((entry) => entry.isAcknowledged && !entry.isBusy && !entry.unanswered);
      const entry = free[Math.floor(Math.random() * free.length)];
      const chance = Math.random();
      if (!entry || chance < 0.15) return register(url);
      entry.isBusy = true;
      if (chance < 0.4 && entry.used === undefined) await reset(url, entry);
      else if (chance < 0.55 || entry.browsers.length === 0) await signIn(url, entry);
      else await refresh(entry);
      entry.isBusy = false;
    },
  };
}

/** The newest link that arrives within 1.5 s; undefined if the service was killed meanwhile. */
async function linkTo(email: string, { arrived }: MailServer): Promise<string | undefined> {
  const deadline = performance.now() + 1500;
  while (performance.now() < deadline) {
    const texts = arrived.filter(({ envelope }) => envelope.to.includes(email)).map(({ mail }) => mail.text ?? '');
    const links = texts.flatMap((text) => text.match(/https:\/\/\S+\/reset-password\/\S+/g) ?? []);
    const last = links.at(-1);
    if (last) return new URL(last).searchParams.get('hash') ?? undefined;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}

/** Checks everything that was acknowledged, through the API; returns what is missing or incomplete. */
export async function audit(url: string, entries: readonly Entry[]): Promise<string[]> {
  const found = await inParallel(6, entries, (entry) => auditOne(url, entry));
  return found.flat();
}

async function auditOne(url: string, entry: Entry): Promise<string[]> {
  if (!entry.isAcknowledged) return auditUnacknowledged(url, entry);
  const { email, unanswered, browsers, former, used } = entry;
  const isReset = unanswered !== undefined && (await signIn(url, email, unanswered.password)) !== undefined;
  const browser = isReset ? undefined : await signIn(url, email, entry.password);
  const problems: string[] = [];
  if (!isReset && !browser) problems.push('an acknowledged password is refused');
  if (browser) problems.push(...(await auditAccount(browser, entry)));

  const [living, dead] = isReset ? [[], browsers] : [browsers, former];
  for (const one of living) {
    const response = await ask(one, '/auth/refresh');
    if (response.status !== 200) problems.push(`an acknowledged session is gone: ${statusAndCode(response)}`);
  }
  for (const one of dead) {
    if ((await ask(one, '/auth/refresh')).status !== 401) problems.push('a session outlived the reset');
  }
  const usedLink = isReset ? unanswered.hash : used;
  if (usedLink && (await isLinkAlive(url, email, usedLink))) problems.push('a used link works again');
  return problems;
}

/** This registration got no response: it must have happened completely or not at all. */
async function auditUnacknowledged(url: string, entry: Entry): Promise<string[]> {
  const again = await ask(newBrowser(url), '/auth/register', entry.person);
  if (again.status === 201) return [];
  if (again.status !== 409) return [`a registration cannot be repeated: ${statusAndCode(again)}`];
  const browser = await signIn(url, entry.email, entry.password);
  return browser ? auditAccount(browser, entry) : ['an incomplete account: its password is refused'];
}

async function auditAccount(browser: Client, { person }: Entry): Promise<string[]> {
  const { status, body } = await untilServed(() => browser.get('/account'));
  const isWhole = status === 200 && body.email === person.email && body.consents?.length === 2;
  return isWhole ? [] : [`an incomplete account: ${JSON.stringify(body)}`];
}

async function signIn(url: string, email: string, password: string): Promise<Client | undefined> {
  const browser = newBrowser(url);
  return (await ask(browser, '/auth/login', { email, password })).status === 200 ? browser : undefined;
}

async function isLinkAlive(url: string, email: string, hash: string): Promise<boolean> {
  return (await ask(newBrowser(url), '/auth/reset-password/check', { email, hash })).status === 204;
}

/** Repeats a request while a busy machine responds with a 503: that loses nothing. */
const ask = (browser: Client, path: string, body?: unknown): Promise<TestResponse> =>
  untilServed(() => browser.post(path, body));
