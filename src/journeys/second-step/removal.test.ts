import { describe, expect, test } from 'vitest';
import { applyDueRemovals } from '../../access/second-step-removal.ts';
import { hours, minutes } from '../../contract/units.ts';
import { findAccountByEmail } from '../../store/accounts/accounts.ts';
import { beginSignIn, registerWithAuthenticator } from '../../testing/authenticator.ts';
import { statusAndCode } from '../../testing/client.ts';
import { placeOf, runCommand } from '../../testing/command-line.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { password } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const apply = (server: TestServer) => applyDueRemovals({ ...server, outbox: { wake: () => undefined } });

const stopLink = async (server: TestServer, email: string) =>
  /keep-second-step\/\?hash=([\w-]+)/.exec((await server.mailTo(email, /will be removed/)).text)?.[1];

async function activityOf(server: TestServer, email: string): Promise<string[]> {
  const account = await findAccountByEmail(server.store, email);
  const lines = await server.store
    .selectFrom('activity')
    .select('kind')
    .where('account_id', '=', account?.id ?? '')
    .orderBy('id')
    .execute();
  return lines.map(({ kind }) => kind).filter((kind) => /second_step/.test(kind));
}

describe.each(usualEngines)('the removal of a lost second step, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is stopped by the owner’s link in the last second, and the thief’s sign-in ends with it', async () => {
    const { email } = await registerWithAuthenticator(server);
    const thief = await beginSignIn(server, email);
    await thief.post('/auth/second-step/lost');
    const hash = await stopLink(server, email);
    server.forward(hours(24) - 1000);
    const late = await beginSignIn(server, email);
    expect(await server.client().post('/auth/second-step/keep', { hash })).toSay('204');
    expect(await server.client().post('/auth/second-step/keep', { hash })).toSay('410 confirmation_link_expired');
    expect(await late.post('/auth/second-step/lost')).toSay('410 sign_in_expired');
    server.forward(minutes(5));
    expect(await apply(server)).toBe(0);
    await beginSignIn(server, email);
    expect(await activityOf(server, email)).toEqual(['second_step_removal_requested', 'second_step_kept']);
    expect((await server.mailTo(email, /second step .* was kept/)).text).toMatch(/was stopped[\s\S]*IP address: /);
  });

  test('is stopped by any session', async () => {
    const { email, browser: owner } = await registerWithAuthenticator(server);
    await (await beginSignIn(server, email)).post('/auth/second-step/lost');
    expect(await owner.post('/account/second-step/keep')).toSay('204');
    expect((await owner.get('/account/security')).body.removal_at).toBe(null);
  });

  test('can be requested three times a day, only after the right first factor', async () => {
    const { email, browser: owner } = await registerWithAuthenticator(server);
    expect(await server.client().post('/auth/second-step/lost')).toSay('410 sign_in_expired');
    for (const expected of ['202', '202', '202', '429 too_many_requests']) {
      expect(await (await beginSignIn(server, email)).post('/auth/second-step/lost')).toSay(expected);
      await owner.post('/account/second-step/keep');
    }
  });

  test('by an operator has the same delay, unless it is immediate, and is in the audit log', async () => {
    // The command has no clock that a test can move.
    const server = await openTestServer(engine);
    const { email } = await registerWithAuthenticator(server);
    const vestibule = (...words: string[]) => runCommand(words, placeOf(server));
    const remove = (...words: string[]) => vestibule('accounts', 'second-step', email, ...words);
    expect(await remove('--remove')).toMatchObject({ code: 2, err: expect.stringContaining('--reason TEXT') });
    expect(await remove('--reason', 'lost phone')).toMatchObject({ code: 2 });
    expect((await remove('--remove', '--reason', 'lost phone')).out).toMatch(/will be removed at \d{4}-/);
    const hash = await stopLink(server, email);
    expect(await server.client().post('/auth/second-step/keep', { hash })).toSay('204');
    await beginSignIn(server, email);
    expect((await remove('--remove', '--reason', 'in person', '--now')).out).toBe(`${email}: second step removed\n`);
    expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    expect(await remove('--remove', '--reason', 'again')).toMatchObject({ code: 1, out: `${email}: no second step\n` });
    const account = await findAccountByEmail(server.store, email);
    const { entries } = JSON.parse((await vestibule('audit', account?.id ?? '', '--json')).out);
    expect(entries.map((entry: { action: string; reason: string }) => [entry.action, entry.reason])).toEqual([
      ['second_step_removed', 'in person'],
      ['second_step_removal_requested', 'lost phone'],
    ]);
  });
});

describe.each(engines)('the removal of a lost second step by several nodes, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('takes effect after 24 hours, on exactly one node, and is shown everywhere until then', async () => {
    const otherNode = await server.otherNode();
    const { email, browser: owner } = await registerWithAuthenticator(server);
    const browser = await beginSignIn(server, email);
    const requested = await browser.post('/auth/second-step/lost');
    const at = requested.body.removal_at;
    expect(requested.status).toBe(202);
    expect(Math.abs(Date.parse(at) - server.now() - hours(24))).toBeLessThan(minutes(1));
    expect((await browser.post('/auth/second-step/lost')).body.removal_at).toBe(at);
    expect((await browser.get('/auth/second-step')).body.removal_at).toBe(at);
    expect((await owner.get('/account/security')).body.removal_at).toBe(at);
    expect(await stopLink(server, email)).toMatch(/^[\w-]{43}$/);
    expect((await server.mailTo(email, /will be removed/)).text).toMatch(/IP address: [\d.:a-f]+/);

    server.forward(hours(24) - minutes(1));
    await Promise.all([apply(server), apply(otherNode)]);
    const early = await beginSignIn(server, email);
    server.forward(minutes(2));
    await Promise.all([apply(server), apply(otherNode)]);
    expect((await early.get('/auth/second-step')).body.ways).toEqual([]);
    expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    expect(await activityOf(server, email)).toEqual(['second_step_removal_requested', 'second_step_removed']);
    const { text } = await server.mailTo(email, /was changed/, 2);
    expect(text).toContain('as requested');
    expect(text).not.toContain('IP address');
    const { body } = await owner.post('/auth/refresh').then(() => owner.get('/account/security'));
    expect(body).toMatchObject({ authenticator: false, recovery_codes_left: 0, removal_at: null });
  });

  test('is stopped or applied, never both, when the owner and two nodes act simultaneously', async () => {
    const otherNode = await server.otherNode();
    const outcomes = new Set<string>();
    for (let time = 0; time < 6; time += 1) {
      const { email } = await registerWithAuthenticator(server);
      await (await beginSignIn(server, email)).post('/auth/second-step/lost');
      const hash = await stopLink(server, email);
      server.forward(hours(24));
      const [, stopped] = await Promise.all([
        time % 2 ? apply(otherNode) : undefined,
        server.client().post('/auth/second-step/keep', { hash }),
        apply(server),
      ]);
      const signedIn = statusAndCode(await server.client().post('/auth/login', { email, password }));
      outcomes.add(`${statusAndCode(stopped)}, then ${signedIn}`);
      const [, ...ends] = await activityOf(server, email);
      expect(ends).toHaveLength(1);
    }
    const allowed = ['204, then 401 second_step_required', '410 confirmation_link_expired, then 200'];
    expect([...outcomes].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
  });
});
