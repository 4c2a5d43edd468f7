import { describe, test } from 'vitest';
import { days, minutes } from '../contract/units.ts';
import { codeOf, fromBase32, stepAt } from '../security/factors.ts';
import { openKeyEncryption } from '../security/macs.ts';
import { countSealed } from '../store/access/sealed-secrets.ts';
import type { StoreTransaction } from '../store/database.ts';
import { addEmail } from '../store/emails/outbox.ts';
import { type Client, openClient } from '../testing/client.ts';
import { placeOf, runCommand } from '../testing/command-line.ts';
import { freshDatabase, usualEngines } from '../testing/databases/databases.ts';
import { form, password, register } from '../testing/people.ts';
import { openTestNode, type TestNode } from '../testing/test-node.ts';
import { openTestServer } from '../testing/test-server.ts';

const kidOf = (token = ''): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const macOf = (browser: Client): string => String(browser.cookies.get('__Host-refresh_token')).slice(-20);

/** The same browser behind a proxy that now sends it to this node. */
function sameBrowser(browser: Client, { url }: TestNode): Client {
  const client = openClient(url);
  for (const [name, value] of browser.cookies) client.cookies.set(name, value);
  client.token = browser.token;
  return client;
}

// Concurrent, because a node reads its keys only every ten seconds.
describe.concurrent.each(usualEngines)('vestibule keys, on %s', (engine) => {
  const secret = { SECRET_KEY: 'a secret of thirty-two characters' };

  const open = async () => {
    const server = await openTestServer(engine, secret);
    const run = (...words: string[]) => runCommand(['keys', ...words], placeOf(server, secret));
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
      expect(await browser.post('/auth/refresh')).toSay('200');
      return isNew(kidOf(browser.token));
    };
    await expect.poll(signs).toBe(true);
    expect((await browser.get('/account')).status).toBe(200);

    // After the old keys have expired, sessions that were refreshed in the meantime continue.
    for (let day = 0; day < 32; day += 8) {
      server.forward(days(8));
      if (day === 24) continue;
      expect(await browser.post('/auth/refresh')).toSay('200');
    }
    await expect.poll(async () => (await published()).every(isNew)).toBe(true);
  });

  test('rotate --compromised: signatures of the old keys become invalid', async ({ expect }) => {
    const { server, run, published } = await open();
    const { browser } = await register(server);
    const [old] = await published();
    expect((await run('rotate', '--compromised')).out).toMatch(/everyone has to sign in again/);
    await expect.poll(published).not.toContain(old);
    expect(await browser.get('/account')).toSay('401 not_signed_in');
    browser.cookies.delete('csrf_token');
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended no_session');
    const former = macOf(browser);
    const again = await register(server);
    expect(macOf(again.browser)).not.toBe(former);
  });

  test('reseal: a new SECRET_KEY replaces the old one while two nodes run, and no session or second step is lost', async ({
    expect,
  }) => {
    const database = await freshDatabase(engine);
    const { dataDir, databaseUrl } = database;
    const [old, next] = ['an old secret of thirty-two characters', 'a new secret of thirty-two characters!'];
    const both = { SECRET_KEY: next, PREVIOUS_SECRET_KEY: old };
    const start = (settings: Record<string, string>) =>
      openTestNode({
        database,
        settings: { PHONE_CONFIRMATION: 'off', PUBLIC_URL: 'https://door.example', ...settings },
        clock: { offset: 0 },
      });
    const run = (settings: Record<string, string>, ...words: string[]) =>
      runCommand(words, {
        folder: dataDir,
        settings: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PHONE_CONFIRMATION: 'off', ...settings },
      });
    const sealedWith = async (secret: string, { store }: TestNode) =>
      countSealed(store, (sealed) => openKeyEncryption(secret).isCurrent(sealed));

    const first = await start({ SECRET_KEY: old });
    const second = await start(both);
    const browser = openClient(first.url);
    const person = form();
    expect(await browser.post('/auth/register', person)).toSay('201');
    // A node that has both secrets still seals with the old one, which the other node knows.
    const elsewhere = sameBrowser(browser, second);
    const { body } = await elsewhere.post('/account/authenticator');
    expect(await sealedWith(next, second)).toBe(0);
    // An email with a link waits meanwhile.
    const params = openKeyEncryption(old).seal(Buffer.from('{"proof":"s3cret"}'));
    const at = first.now();
    await addEmail(first.store as StoreTransaction, {
      ...{ id: 'waits', account_id: null, channel: 'mail', notice: 'registered', urgent: 0, locale: 'en' },
      ...{ recipient: 'ada@mail.example', params, created_at: at + days(1) },
    });
    const code = codeOf(fromBase32(body.secret) ?? Buffer.alloc(0), stepAt(first.now()));
    const confirmed = await browser.post('/account/authenticator/confirm', { code });
    expect(confirmed).toSay('200');
    await first.close();

    const again = await start(both);
    expect((await run(both, 'doctor', '--quick')).out).toMatch(/keys +1 signing; PREVIOUS_SECRET_KEY still seals/);
    const resealed = await run(both, 'keys', 'reseal', '--json');
    expect([resealed.code, resealed.err]).toEqual([0, '']);
    expect(JSON.parse(resealed.out).resealed).toBeGreaterThan(5);
    expect(await sealedWith(old, again)).toBe(0);
    expect((await run(both, 'doctor', '--quick')).out).toMatch(/seals nothing any more: remove it/);
    // Both nodes have followed: new secrets are sealed with the new one only.
    for (const { url } of [second, again]) {
      const client = openClient(url);
      const account = form();
      expect(await client.post('/auth/register', account)).toSay('201');
      expect((await client.post('/account/authenticator')).status).toBe(201);
    }
    expect(await sealedWith(old, again)).toBe(0);
    await second.close();
    await again.close();

    const last = await start({ SECRET_KEY: next });
    const signIn = openClient(last.url);
    const { email } = person;
    expect(await signIn.post('/auth/login', { email, password })).toSay('401 second_step_required');
    const recovery = { recovery_code: confirmed.body.recovery_codes[0] };
    expect(await signIn.post('/auth/second-step', recovery)).toSay('200');
    expect(await sameBrowser(browser, last).post('/auth/refresh')).toSay('200');
    await last.close();
    expect(await run({ SECRET_KEY: old }, 'keys', 'reseal')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/another secret/),
    });
  });

  test('are listed, and cannot be rotated with another secret or before any exist', async ({ expect }) => {
    const { server, run } = await open();
    expect((await run()).out.match(/ in use$/gm)).toHaveLength(5);
    const { DATA_DIR, DATABASE_URL } = server.config;
    const settings = { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off' };
    const wrong = { ...settings, SECRET_KEY: 'another secret of so many characters' };
    expect(await runCommand(['keys', 'rotate'], { folder: DATA_DIR, settings: wrong })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^SECRET_KEY: the keys in the database were sealed/),
    });
    expect((await run()).out.match(/ in use$/gm)).toHaveLength(5);
    const { dataDir, databaseUrl } = await freshDatabase(engine);
    const empty = { ...settings, DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    expect(await runCommand(['keys', 'rotate'], { folder: dataDir, settings: empty })).toMatchObject({
      code: 2,
    });
    const node = await openTestNode({ database: { dataDir, databaseUrl }, settings: {}, clock: { offset: 0 } });
    await node.close();
  });
});
