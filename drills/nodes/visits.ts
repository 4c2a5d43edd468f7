import type { Client, TestResponse } from '../../src/testing/client.ts';
import { form } from '../../src/testing/people.ts';
import { attempt, newBrowser, type Person } from '../fixtures/visitors.ts';

type Visit = readonly [what: string, right: number, ask: (url: string, person: Person) => Promise<TestResponse>];

/** The requests of an ordinary day. */
const visits: readonly Visit[] = [
  ['page', 200, (url) => newBrowser(url).get('/')],
  ['refresh', 200, (_, { browser }) => browser.post('/auth/refresh')],
  ['account', 200, (_, { browser }) => lookAtAccount(browser)],
  ['sign-in', 200, (url, { email, password }) => newBrowser(url).post('/auth/login', { email, password })],
  ['refresh', 200, (_, { browser }) => browser.post('/auth/refresh')],
  ['registration', 201, (url) => newBrowser(url).post('/auth/register', form())],
];

/** Reads the account as a page does: it refreshes first if its access token has expired. */
async function lookAtAccount(browser: Client): Promise<TestResponse> {
  const response = await browser.get('/account');
  if (response.status !== 401) return response;
  await browser.post('/auth/refresh');
  return browser.get('/account');
}

export interface Visited {
  readonly requests: number;
  /** The failed requests, such as `refresh 401 reused`. */
  readonly failed: readonly string[];
}

/** Sends the visits of each person in turn, all people in parallel, until the returned function is called. */
export function keepVisiting(url: string, people: readonly Person[]) {
  const failed: string[] = [];
  let requests = 0;
  let isOver = false;
  const each = people.map(async (person, first) => {
    for (let turn = first; !isOver; turn += 1) {
      const [what, right, ask] = visits[turn % visits.length] as Visit;
      const response = await attempt(ask(url, person));
      requests += 1;
      if (response?.status !== right)
        failed.push(`${what} ${response?.status ?? 'no response'} ${response?.body?.reason ?? ''}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });
  return async (): Promise<Visited> => {
    isOver = true;
    await Promise.all(each);
    return { requests, failed };
  };
}

/** The failures, each kind once. */
export const kindsOf = (failed: readonly string[]): string => [...new Set(failed)].join('; ') || '–';
