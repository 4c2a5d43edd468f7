import { type Client, statusAndCode, type TestResponse, untilServed } from '../../src/testing/client.ts';
import { inParallel, newBrowser } from '../fixtures/visitors.ts';
import type { Entry } from './ledger.ts';

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
