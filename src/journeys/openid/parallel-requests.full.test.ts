import { createHook } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addApplication, addTestClient, authorizationRequest } from '../../testing/applications/application.ts';
import { engines, withPostgres } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

/** Counts by the name that Node gives to this work in its thread pool. */
async function countKeyPairsMadeBy(work: () => Promise<unknown>): Promise<number> {
  let made = 0;
  const hook = createHook({
    init(_id, kind) {
      if (kind === 'KEYPAIRGENREQUEST') made += 1;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return made;
}

test.each(engines)('requests that are the first together make one RSA key, on %s', async (engine) => {
  // Each key takes a thread for long, and passwords wait for those threads.
  const server = await openTestServer(engine);
  await addTestClient(server);
  const made = await countKeyPairsMadeBy(async () => {
    const requests = Array.from({ length: 20 }, (_, at) =>
      server.client({ ip: `203.0.113.${at + 1}` }).get('/.well-known/openid-configuration'),
    );
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 200));
  });
  expect(made).toBe(1);
});

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
