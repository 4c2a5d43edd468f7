import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addApplication, authorizationRequest } from '../../testing/applications/application.ts';
import { withPostgres } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

// On SQLite, each of them ends before the next begins.
test.runIf(withPostgres)('of many sign-ins to applications, at most four run at a time, and all succeed', async () => {
  const server = await openTestServer('postgres');
  const { url } = await authorizationRequest(await addApplication(server));
  const sources = Array.from({ length: 48 }, (_, at) => server.client({ ip: `203.0.113.${at + 1}` }));
  let [peak, left] = [0, sources.length];
  const statuses = sources.map(async (browser) => {
    const { status } = await browser.get(url.pathname + url.search);
    left -= 1;
    return status;
  });
  while (left > 0) {
    peak = Math.max(peak, server.openIdRequests.state().inside);
    await nextTurn();
  }
  expect(await Promise.all(statuses)).toEqual(sources.map(() => 303));
  // A fast database may have answered the first before the fourth begins.
  expect([2, 3, 4]).toContain(peak);
});
