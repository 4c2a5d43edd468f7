import { createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { addTestClient } from '../../testing/applications/application.ts';
import { engines } from '../../testing/databases/databases.ts';
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
