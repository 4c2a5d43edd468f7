import type { Client, TestResponse } from '../../src/testing/client.ts';
import { form } from '../../src/testing/people.ts';
import { attempt, newBrowser, type Person } from '../fixtures/visitors.ts';

type Visit = readonly [what: string, right: number, ask: (url: string, person: Person) => Promise<TestResponse>];

/** What people do all day long. */
const visits: readonly Visit[] = [
  ['page', 200, (url) => newBrowser(url).get('/')],
  ['refresh', 200, (_, { browser }) => browser.post('/auth/refresh')],
  ['account', 200, (_, { browser }) => lookAtAccount(browser)],
  ['sign-in', 200, (url, { email, password }) => newBrowser(url).post('/auth/login', { email, password })],
  ['refresh', 200, (_, { browser }) => browser.post('/auth/refresh')],
  ['registration', 201, (url) => newBrowser(url).post('/auth/register', form())],
];

/** As a page does whose access token is over. */
async function lookAtAccount(browser: Client): Promise<TestResponse> {
  const answer = await browser.get('/account');
  if (answer.status !== 401) return answer;
  await browser.post('/auth/refresh');
  return browser.get('/account');
}

export interface Visited {
  readonly requests: number;
  /** As `refresh 401 reused ×2`. */
  readonly failed: readonly string[];
}

/** Has people come again and again, each one after the other, until told to stop. */
export function keepVisiting(url: string, people: readonly Person[]) {
  const failed: string[] = [];
  let requests = 0;
  let isOver = false;
  const each = people.map(async (person, first) => {
    for (let turn = first; !isOver; turn += 1) {
      const [what, right, ask] = visits[turn % visits.length] as Visit;
      const answer = await attempt(ask(url, person));
      requests += 1;
      if (answer?.status !== right)
        failed.push(`${what} ${answer?.status ?? 'no answer'} ${answer?.body?.reason ?? ''}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });
  return async (): Promise<Visited> => {
    isOver = true;
    await Promise.all(each);
    return { requests, failed };
  };
}

/** What failed, each kind once. */
export const kindsOf = (failed: readonly string[]): string => [...new Set(failed)].join('; ') || '–';
