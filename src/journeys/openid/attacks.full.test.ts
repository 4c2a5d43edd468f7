import { describe, expect, test } from 'vitest';
import { days, minutes } from '../../contract/units.ts';
import { cleanUp } from '../../store/clean-up.ts';
import { addApplication, authorizationRequest, signInTo } from '../../testing/applications/application.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('an attacker, on %s,', (engine) => {
  const opened = openTestServer(engine);

  test('cannot fill the database with unfinished requests of one session', async () => {
    const server = await opened;
    const app = await addApplication(server);
    const { browser } = await register(server);
    const { url } = await authorizationRequest(app);
    const path = String(url).replace(server.config.PUBLIC_URL, '');
    const unfinished: number[] = [];
    for (let at = 0; at < 310; at += 1) unfinished.push((await browser.get(`${path}&prompt=login`)).status);
    expect(unfinished.filter((status) => status === 303)).toHaveLength(300);
    expect(unfinished.at(-1)).toBe(503);
    const other = await register(server);
    expect((await other.browser.get(`${path}&prompt=login`)).status).toBe(303);
  });

  test('with 10,000 unfinished requests does not delay others, and the requests disappear', async () => {
    const server = await opened;
    const app = await addApplication(server);
    const payload = JSON.stringify({ kind: 'Interaction', params: { client_id: app.id, state: 'x'.repeat(500) } });
    for (let from = 0; from < 10_000; from += 1000)
      await server.store
        .insertInto('openid_records')
        .values(
          Array.from({ length: 1000 }, (_, at) => ({
            key: `flood ${from + at}`,
            payload,
            grant_id: null,
            user_code: null,
            consumed_at: null,
            expires_at: server.now() + minutes(60),
          })),
        )
        .execute();
    await signInTo(server, { app, browser: (await register(server)).browser });
    const left = async () =>
      Number(
        (
          await server.store
            .selectFrom('openid_records')
            .select((row) => row.fn.countAll<number>().as('count'))
            .where('key', 'like', 'flood %')
            .executeTakeFirstOrThrow()
        ).count,
      );
    const clean = () => cleanUp(server.store, { now: server.now(), activityKept: days(90), others: [] });
    await clean();
    expect(await left()).toBe(10_000);
    server.forward(minutes(61));
    await clean();
    expect(await left()).toBe(0);
  });

  test('cannot fill the database with requests of a signed-in browser', async () => {
    const server = await opened;
    const app = await addApplication(server);
    const { browser } = await register(server);
    const { url } = await authorizationRequest(app, { prompt: 'consent' });
    const path = String(url).replace(server.config.PUBLIC_URL, '');
    const statuses: number[] = [];
    for (let at = 0; at < 310; at += 1) statuses.push((await browser.get(path)).status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(300);
    // Colleagues behind the same address have limits of their own.
    expect((await (await register(server)).browser.get(path)).status).toBe(303);
  });
});
