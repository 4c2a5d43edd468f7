import { describe, test } from 'vitest';
import { days, minutes } from '../contract/units.ts';
import { type Client, statusAndCode } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, usualEngines } from '../testing/databases/databases.ts';
import { register } from '../testing/people.ts';
import { openTestNode } from '../testing/test-node.ts';
import { openTestServer } from '../testing/test-server.ts';

const kidOf = (token = ''): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const macOf = (browser: Client): string => String(browser.cookies.get('__Host-refresh_token')).slice(-20);

// Concurrent, because a node reads its keys only every ten seconds.
describe.concurrent.each(usualEngines)('vestibule keys, on %s', (engine) => {
  const secret = { SECRET_KEY: 'a secret of thirty-two characters' };

  const open = async () => {
    const server = await openTestServer(engine, secret);
    const { DATA_DIR, DATABASE_URL } = server.config;
    const run = (...words: string[]) =>
      runCommand(['keys', ...words], {
        folder: DATA_DIR,
        settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off', ...secret },
      });
    const published = async (): Promise<string[]> =>
      (await server.client().get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);
    return { server, run, published };
  };

  test('rotate: new keys are published immediately, sign after ten minutes, and keep every session', async ({
    expect,
  }) => {
    const { server, run, published } = await open();
    const { browser } = await register(server);
    const [old] = await published();
    const rotated = await run('rotate', '--json');
    expect(rotated).toMatchObject({ code: 0, err: '' });
    await expect.poll(published).toHaveLength(2);
    const isNew = (kid: string) => kid !== old;
    await browser.post('/auth/refresh');
    expect(kidOf(browser.token)).toBe(old);

    server.forward(minutes(11));
    const signs = async () => {
      expect(statusAndCode(await browser.post('/auth/refresh'))).toBe('200');
      return isNew(kidOf(browser.token));
    };
    await expect.poll(signs).toBe(true);
    expect((await browser.get('/account')).status).toBe(200);

    // After the old keys have expired, sessions that were refreshed in the meantime continue.
    for (let day = 0; day < 32; day += 8) {
      server.forward(days(8));
      if (day === 24) continue;
      expect(statusAndCode(await browser.post('/auth/refresh'))).toBe('200');
    }
    await expect.poll(async () => (await published()).every(isNew)).toBe(true);
  });

  test('rotate --compromised: signatures of the old keys become invalid', async ({ expect }) => {
    const { server, run, published } = await open();
    const { browser } = await register(server);
    const [old] = await published();
    expect((await run('rotate', '--compromised')).out).toMatch(/everyone has to sign in again/);
    await expect.poll(published).not.toContain(old);
    expect(statusAndCode(await browser.get('/account'))).toBe('401 not_signed_in');
    browser.cookies.delete('csrf_token');
    expect(statusAndCode(await browser.post('/auth/refresh'))).toBe('401 session_ended no_session');
    const former = macOf(browser);
    const again = await register(server);
    expect(macOf(again.browser)).not.toBe(former);
  });

  test('are listed, and cannot be rotated with another secret or before any exist', async ({ expect }) => {
    const { server, run } = await open();
    expect((await run()).out.match(/ in use$/gm)).toHaveLength(4);
    const { DATA_DIR, DATABASE_URL } = server.config;
    const settings = { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' };
    const wrong = { ...settings, SECRET_KEY: 'another secret of so many characters' };
    expect(await runCommand(['keys', 'rotate'], { folder: DATA_DIR, settings: wrong })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^SECRET_KEY: the keys in the database were sealed/),
    });
    expect((await run()).out.match(/ in use$/gm)).toHaveLength(4);
    const { dataDir, databaseUrl } = await freshDatabase(engine);
    const empty = { ...settings, DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    expect(await runCommand(['keys', 'rotate'], { folder: dataDir, settings: empty })).toMatchObject({
      code: 2,
    });
    const node = await openTestNode({ database: { dataDir, databaseUrl }, settings: {}, clock: { offset: 0 } });
    await node.close();
  });
});
