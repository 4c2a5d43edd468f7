import { expect, test } from 'vitest';
import { openFairScheduler } from '../access/fair-scheduler.ts';
import { csrfCookie } from '../contract/pages.ts';
import { openTestServer } from '../testing/test-server.ts';

/** A scheduler in a turn of the event loop that never ends, whose queue has no room. */
function busyScheduler() {
  const scheduler = openFairScheduler({ perSource: 0, nextTurn: () => undefined });
  const { perTurn } = scheduler.state();
  for (let begun = 0; begun < perTurn; begun += 1) void scheduler.begin({ source: '192.0.2.1', networks: [] });
  return scheduler;
}

const server = await openTestServer('sqlite', {}, { scheduler: busyScheduler() });

test.each([
  ['a sign-in', 'POST', '/auth/login'],
  ['a registration', 'POST', '/auth/register'],
  ['an enrolment', 'POST', '/computers/enrol'],
  ['records', 'POST', '/computers/records'],
  ['a read of the account', 'GET', '/account'],
  ['a check of an unknown application', 'GET', '/forward-auth/unknown'],
  ['a return to an application', 'GET', '/.vestibule/callback?code=x&state=x'],
])('%s waits for its turn before any other work', async (_what, method, path) => {
  const browser = server.client();
  await browser.get('/auth/csrf');
  const headers = { 'x-csrf-token': browser.cookies.get(csrfCookie) ?? '' };
  expect(await browser.send(method, path, { headers, ...(method === 'POST' && { body: {} }) })).toSay(
    '503 try_again_later',
  );
});

test('a page, a refresh and a sign-out begin as they arrive', async () => {
  const browser = server.client();
  expect((await browser.get('/')).status).toBe(200);
  expect(await browser.post('/auth/refresh')).toSay('401 session_ended no_session');
  expect((await browser.post('/auth/logout')).status).toBe(204);
});
