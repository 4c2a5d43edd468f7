import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ActivityKind } from '../../contract/activity.ts';
import { timelineKinds } from '../../contract/console.ts';
import { days, hours, minutes } from '../../contract/units.ts';
import { findAccountByEmail } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { suppressedReason } from '../../store/emails/outbox.ts';
import { limitKey } from '../../store/rate-limits.ts';
import type { Client } from '../../testing/client.ts';
import { runCommand } from '../../testing/command-line.ts';
import { engines } from '../../testing/databases/databases.ts';
import { addProgram, runAllJobs } from '../../testing/operators.ts';
import { secretsIn } from '../../testing/outbox.ts';
import { addComputer, addOperator, password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(engines)('people, on %s,', (engine) => {
  test('limits the emails with a link to one person, and those of one key, also in a job', async () => {
    const server = await openTestServer(engine);
    const [{ client }, other] = [await addProgram(server, 'support'), await addProgram(server, 'support')];
    const [ada, bob] = [await addOperator(server, undefined), await addOperator(server, undefined)];
    const send = (by: Client, { id }: { readonly id: string }) => by.post(`/operators/people/${id}/reset`);
    for (let sent = 0; sent < 5; sent += 1)
      expect((await send(sent % 2 ? client : other.client, ada)).status).toBe(202);
    const refused = await send(client, ada);
    expect(refused).toSay('429 too_many_mails');
    expect(refused.body.minutes).toBeGreaterThan(23 * 60);
    const key = limitKey('operators-links-by', other.id);
    await server.store.insertInto('limit_hits').values({ id: 'h', key, at: server.now(), units: 1000 }).execute();
    expect(await send(other.client, bob)).toSay('429 too_many_mails');
    const invited = { email: 'new@mail.example', name: 'Eve', locale: 'en' };
    expect(await other.client.post('/operators/people', invited)).toSay('429 too_many_mails');
    expect((await send(client, bob)).status).toBe(202);
    const { body } = await client.post('/operators/people/bulk', { ids: [ada.id, bob.id], act: 'reset' });
    await runAllJobs(server);
    expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({
      done: 2,
      failures: [{ id: ada.id, code: 'too_many_mails' }],
    });
    server.forward(days(1));
    expect((await send(client, ada)).status).toBe(202);
  });

  test('neither operators nor an owner use up the changes of address of the other', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const { id, client: owner } = await addOperator(server, undefined);
    const byOwner = (email: string) => owner.post('/account/email', { email, password });
    const byOperator = (email: string) => client.post(`/operators/people/${id}/email`, { email });
    for (let at = 0; at < 5; at += 1) expect((await byOwner(`new${at % 2}@mail.example`)).status).toBe(202);
    expect(await byOwner('new0@mail.example')).toSay('429 too_many_mails');
    for (let at = 0; at < 5; at += 1) expect((await byOperator('new0@mail.example')).status).toBe(202);
    expect(await byOperator('new0@mail.example')).toSay('429 too_many_mails');
    server.forward(hours(1));
    await owner.post('/auth/refresh');
    expect((await byOwner('new0@mail.example')).status).toBe(202);
    const { id: by } = (await client.get('/operators/me')).body;
    const key = limitKey('operators-links-by', by);
    await server.store.insertInto('limit_hits').values({ id: 'h', key, at: server.now(), units: 1000 }).execute();
    expect(await byOperator('new1@mail.example')).toSay('429 too_many_mails');
  });
});

test('neither support nor an owner use up the emails that prove the address of the other', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'support');
  const { id, browser: owner } = await register(server);
  const bySupport = async () => (await client.post(`/operators/people/${id}/resend`)).body.confirmation;
  const byOwner = () => owner.post('/account/email/resend');
  for (let sent = 0; sent < 5; sent += 1) expect(await bySupport()).toBe(true);
  expect(await bySupport()).toBe(false);
  for (let sent = 0; sent < 3; sent += 1) expect(await byOwner()).toSay('202');
  expect(await byOwner()).toSay('429 too_many_mails');
  server.forward(days(1));
  expect(await bySupport()).toBe(true);
});

test('no search of a viewer completes a masked address or number', async () => {
  const server = await openTestServer('sqlite');
  const { email } = await register(server, { name: 'Zoe Vlk', phone: '+49 1577 7700123' });
  const find = async (client: Client, q: string) =>
    (await client.get(`/operators/people?q=${encodeURIComponent(q)}`)).body.items.length;
  const { client: viewer } = await addProgram(server, 'viewer');
  const { client: support } = await addProgram(server, 'support');
  for (const part of [email.slice(0, -1), '+49 1577 770012', '1577 7700123', '0123'])
    expect([part, await find(viewer, part), await find(support, part)]).toEqual([part, 0, 1]);
  for (const whole of [email, '+49 (1577) 7700123', 'vlk'])
    expect([whole, await find(viewer, whole)]).toEqual([whole, 1]);
  await register(server, { name: 'Zoe Vlk', phone: '+49 1577 7700124' });
  for (const query of ['q=vlk', 'q=%40example.com', 'state=new']) {
    const { next } = (await viewer.get(`/operators/people?limit=1&${query}`)).body;
    expect([query, Buffer.from(next, 'base64url').toString()]).toEqual([
      query,
      expect.not.stringMatching(/anna|@|15777700/),
    ]);
  }
  const page = await support.get('/operators/people?q=%40&limit=1&cursor=bm8tY3Vyc29y');
  expect(page).toSay('422 validation_failed cursor not_understood');
});

test('a person who was created gets a link to set a password, and can be locked, unlocked and deleted', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'support');
  const { body } = await client.post('/operators/people', { email: 'ada@mail.example', name: 'Ada', locale: 'en' });
  const mail = await server.mailTo('ada@mail.example');
  expect(mail.text).toMatch(/created an account for you[\s\S]*\/reset-password\//);
  const of = `/operators/people/${body.id}`;
  await client.post(`${of}/reset`);
  expect((await server.mailTo('ada@mail.example', /./, 2)).text).toMatch(/created an account for you/);
  const resend = async () => (await client.post(`${of}/resend`)).body;
  expect(await resend()).toEqual({ retried: [], invitation: true, confirmation: false });
  expect((await server.mailTo('ada@mail.example', /./, 3)).text).toMatch(/created an account for you/);
  // Whoever asks on the page has no former password either.
  await server.client().post('/auth/recovery', { email: 'ada@mail.example', locale: 'en' });
  expect((await server.mailTo('ada@mail.example', /./, 4)).text).toMatch(/created an account for you[\s\S]*&first=1/);
  // One that was given up is sent again instead, with the link that it has.
  await server.store.updateTable('outbox').set({ sent_at: null, gave_up_at: server.now() }).execute();
  expect(await resend()).toEqual({ retried: expect.any(Array), invitation: false, confirmation: false });
  expect((await client.get('/operators/people?state=locked')).body.items).toEqual([]);
  expect((await client.post(`${of}/lock`, { reason: 'test' })).body).toEqual({ ended: 0 });
  expect((await client.get('/operators/people?state=locked')).body.items).toHaveLength(1);
  expect((await client.get(of)).body.going_on[0]).toMatchObject({ code: 'cannot_sign_in' });
  expect((await client.post(`${of}/unlock`)).status).toBe(204);
  expect((await client.put(`${of}/groups/staff`, {})).status).toBe(204);
  expect(await client.put(`${of}/groups/no group`, {})).toSay('422 validation_failed group not_understood');
  expect((await client.get(of)).body.groups).toEqual(['staff']);
  const { delete_at } = (await client.send('DELETE', of, { body: {} })).body;
  expect(Date.parse(delete_at)).toBeGreaterThan(server.now() + hours(1));
  expect((await client.get(of)).body.delete_at).toBe(delete_at);
});

test.each(['link', 'code'])(
  'a person who was created keeps name and number at the first entry by %s, and only then',
  async (by) => {
    const server = await openTestServer('sqlite');
    const { client } = await addProgram(server, 'support');
    const email = 'ada@mail.example';
    const created = { email, name: 'Ada', phone: '+4915123456789', locale: 'en' };
    expect((await client.post('/operators/people', created)).status).toBe(201);
    const browser = server.client();
    server.forward(minutes(1));
    const setPassword = async (address: string, hash: string, client: Client) => {
      const set = { email: address, hash, password, password_repeat: password };
      expect(await client.post('/auth/reset-password', set)).toSay('204');
    };
    if (by === 'code') {
      await browser.post('/auth/code', { email, locale: 'en' });
      const code = await secretsIn(server, email).signInCode();
      expect(await browser.post('/auth/code/login', { email, code })).toSay('200');
    } else {
      const hash = await secretsIn(server, email).invitation();
      server.forward(days(3) - minutes(2));
      await setPassword(email, hash, browser);
      expect((await server.mailTo(email, /password is set/)).text).toMatch(/A password for your account was set on /);
      expect(await browser.post('/auth/login', { email, password })).toSay('200');
    }
    const { name, phone } = created;
    expect((await browser.get('/account')).body).toMatchObject({ name, phone, email_confirmed: true });
    // A thief moves it to the address of someone else, who takes it over.
    const victim = 'eve@mail.example';
    expect(
      (await browser.post('/account/email', { email: victim, ...(by === 'link' && { password }) })).status,
    ).toBeLessThan(300);
    const hash = await secretsIn(server, victim).changeLink();
    expect(await server.client().post('/account/email/change', { hash })).toSay('200');
    await server.client().post('/auth/recovery', { email: victim, locale: 'en' });
    await setPassword(victim, await secretsIn(server, victim).resetLink(), server.client());
    expect(await findAccountByEmail(server.store, victim)).toMatchObject({ name: '', phone: '' });
  },
);

test('the timeline of a person merges everything page by page, and viewers read no address in it', async () => {
  const server = await openTestServer('sqlite');
  const { id, email, browser } = await register(server);
  await server.mailTo(email);
  await server.client().post('/auth/login', { email, password: 'wrong one' });
  await browser.post('/auth/logout');
  const { client } = await addProgram(server, 'support');
  const of = `/operators/people/${id}`;
  await client.post(`${of}/lock`, { reason: `stolen phone of ${email}` });
  expect((await client.post(`${of}/notes`, { text: ' Calls back. ' })).status).toBe(201);
  await server.store
    .insertInto('notifications')
    .values({ id: 'n', account_id: id, at: server.now(), kind: 'computer_silent', name: 'Desk', read_at: null })
    .execute();
  await server.store
    .updateTable('outbox')
    .set({ sent_at: null, gave_up_at: 1, last_error: `550 ${email}` })
    .execute();
  const kind = 'kind_of_a_newer_node' as ActivityKind;
  await recordActivity(server.store, { accountId: id, at: server.now(), kind, visitor: { ip: '', userAgent: '' } });
  const read = async (from: Client, query = '') => (await from.get(`${of}/timeline${query}`)).body;
  const { items, next } = await read(client);
  expect(next).toBeNull();
  const codes = items.map(({ kind, code, outcome }: Record<string, string>) => [kind, code, outcome].join(' ').trim());
  expect(codes).toEqual(
    expect.arrayContaining([
      'sign_ins registered',
      'sign_ins signed_out',
      'refusals wrong_password 1 wrong, new_browsers',
      `emails registered given up: 550 ${email[0]}***@example.com`,
      'changes kind_of_a_newer_node',
      'alarms computer_silent Desk',
      'operators account_locked',
      'operators note_added',
    ]),
  );
  const paged: unknown[] = [];
  for (let cursor = ''; ; ) {
    const page = await read(client, `?limit=2${cursor && `&cursor=${cursor}`}`);
    paged.push(...page.items);
    cursor = page.next;
    if (cursor === null) break;
  }
  expect(paged.length).toBe(items.length);
  expect(new Set(paged.map((one) => JSON.stringify(one)))).toEqual(
    new Set(items.map((one: object) => JSON.stringify(one))),
  );
  for (const kind of timelineKinds) {
    const only = await read(client, `?kind=${kind}`);
    expect(only.items, kind).toEqual(items.filter((one: { kind: string }) => one.kind === kind));
  }
  expect(await client.get(`${of}/timeline?cursor=eA`)).toSay('422 validation_failed cursor not_understood');
  await server.store.updateTable('outbox').set({ last_error: suppressedReason }).execute();
  expect((await read(client, '?kind=emails')).items).toMatchObject([{ params: { state: 'held_back' } }]);
  const { client: viewer } = await addProgram(server, 'viewer');
  expect(JSON.stringify(await read(viewer))).not.toContain(email);
  const { notes } = (await client.get(of)).body;
  expect(notes).toEqual([expect.objectContaining({ actor_kind: 'key', text: 'Calls back.' })]);
  expect((await client.post(`${of}/export`)).body.data.notes).toEqual([
    { at: expect.any(String), text: 'Calls back.' },
  ]);
});

test('support removes a passkey, sends emails again, and changes an address after a proof that the former one can undo', async () => {
  const server = await openTestServer('sqlite');
  const { id, email } = await register(server);
  await server.mailTo(email);
  const { client } = await addProgram(server, 'support');
  const of = `/operators/people/${id}`;
  await server.store.updateTable('outbox').set({ sent_at: null, gave_up_at: server.now() }).execute();
  const key = { name: 'Old phone', aaguid: '', public_key: 'k', algorithm: -7, counter: 0, transports: '' } as const;
  await server.store
    .insertInto('passkeys')
    .values({ ...key, id: 'stolen', account_id: id, backup_eligible: 1, backed_up: 1, created_at: 1 })
    .execute();
  expect((await client.send('DELETE', `${of}/passkeys/stolen`, { body: {} })).status).toBe(204);
  expect(await client.send('DELETE', `${of}/passkeys/stolen`, { body: {} })).toSay('404 not_found');
  await server.store.deleteFrom('outbox').where('notice', '=', 'passkey_removed').execute();
  expect((await client.post(`${of}/resend`)).body).toEqual({
    ...{ retried: [expect.any(String)], invitation: false, confirmation: true },
  });
  const taken = await register(server);
  const change = (to: string) => client.post(`${of}/email`, { email: to });
  expect(await change(taken.email)).toSay('409 account_exists');
  expect(await change(email)).toSay('422 validation_failed email email_unchanged');
  expect((await change('new@example.org')).status).toBe(202);
  expect((await findAccountByEmail(server.store, email))?.id).toBe(id);
  const mail = await server.mailTo('new@example.org');
  expect(mail.text).toMatch(/support team entered new@example\.org/);
  const [, hash] = /hash=([\w-]+)/.exec(mail.text) ?? [];
  expect((await server.client().post('/account/email/change', { hash })).status).toBe(200);
  const moved = await findAccountByEmail(server.store, 'new@example.org');
  expect(moved).toMatchObject({ id, email_proven_at: expect.any(Number) });
  const undo = server.store.selectFrom('email_changes').select('undo_hash').where('old_email', '=', email);
  expect(await undo.executeTakeFirst()).toEqual({ undo_hash: expect.any(String) });
});

test('support finds the email that did not arrive, allows its address again and retries it', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'support');
  const created = await client.post('/operators/people', { email: 'ada@mail.example', name: 'Ada', locale: 'en' });
  await server.mailTo('ada@mail.example');
  const { store, now } = server;
  await store
    .updateTable('outbox')
    .set({ sent_at: null, gave_up_at: now(), last_error: '550 for ada@mail.example' })
    .execute();
  for (const name of ['ada', 'bob'])
    await store
      .insertInto('unreachable_addresses')
      .values({
        email_key: `${name}@mail.example`,
        email: `${name}@mail.example`,
        reason: 'no_such_address',
        told_by: 'smtp',
        detail: '550',
        at: now(),
      })
      .execute();
  const { body: first } = await client.get('/operators/suppressed?limit=1');
  const { body: second } = await client.get(`/operators/suppressed?limit=1&cursor=${first.next}`);
  expect(
    [first, second].map(({ items, next }) => [items.map(({ email }: { email: string }) => email), next === null]),
  ).toEqual([
    [['bob@mail.example'], false],
    [['ada@mail.example'], true],
  ]);
  expect((await client.post('/operators/suppressed/allow', { who: created.body.id })).status).toBe(204);
  expect(await client.post('/operators/suppressed/allow', { who: 'ada@mail.example' })).toSay('404 not_found');
  const { body: emails } = await client.get(`/operators/emails?account=${created.body.id}`);
  expect(emails).toMatchObject({
    items: [{ to: 'ada@mail.example', state: 'given_up', last_error: '550 for ada@mail.example' }],
    next: null,
  });
  const ids = emails.items.map(({ id }: { id: string }) => id);
  expect((await client.post('/operators/emails/retry', { ids })).body).toEqual({ retried: ids });
  const code = { code: 'SUMMER27', uses: 3, until: '2099-12-31' };
  expect((await client.post('/operators/promo-codes', code)).status).toBe(204);
  expect(await client.post('/operators/promo-codes', code)).toSay('409 promo_code_exists');
  await client.put(`/operators/people/${created.body.id}/groups/staff`, {});
  expect((await client.get('/operators/groups')).body).toEqual({ items: [{ name: 'staff', members: 1 }] });
});

test('a person with devices is described with them and with their warnings', async () => {
  const server = await openTestServer('sqlite');
  const { id, browser } = await register(server);
  const { computer: agent } = await addComputer(server, browser, 'Desk');
  const { client } = await addProgram(server, 'support');
  const computers = async () => (await client.get(`/operators/people/${id}`)).body.computers;
  expect(await computers()).toMatchObject([{ name: 'Desk', platform: 'linux', warnings: [] }]);
  const records = [{ id: 'a', at: server.now(), kind: 'disk_low', text: '2 %' }];
  expect((await agent.send('POST', '/computers/records', { body: { records } })).status).toBeLessThan(300);
  expect(await computers()).toMatchObject([{ warnings: ['disk_low'] }]);
});

const managementApi = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'management-api.md'), 'utf8');
const blocks = [...managementApi.matchAll(/^```(?:sh|js)\n(.*?)^```$/gms)].map(([, block]) => block as string);

test('the commands and the program of the page about the management API work in turn', { tags: 'full' }, async () => {
  const server = await openTestServer('sqlite');
  const { DATA_DIR } = server.config;
  const [commands = '', curl = '', node = ''] = blocks;
  const [add = ''] = commands.split('\n');
  const words = add.replace(/^vestibule | --from \S+/g, '').split(' ');
  const { out } = await runCommand([...words, '--json'], { folder: DATA_DIR, settings: { DATA_DIR } });
  const { key } = JSON.parse(out);
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-management-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...words: string[]) =>
    new Promise<string>((resolve, reject) => {
      const options = { cwd: folder, env: { ...process.env, KEY: key } };
      execFile(program, words, options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
  const here = (text: string) => text.replaceAll('https://account.example.com', server.url);
  const shown = await run('sh', '-ec', here(curl).replaceAll(/\n(?=curl|cat)/g, '\necho\n'));
  const [person, locked, found, log] = shown
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(locked).toEqual({ ended: 0 });
  expect(found.items).toEqual([expect.objectContaining({ id: person.id, locked_at: expect.any(String) })]);
  expect(log).toMatchObject({ items: [{ action: 'accounts_found' }, { action: 'account_locked' }] });
  writeFileSync(join(folder, 'follow.mjs'), here(node));
  const lines = (await run(process.execPath, 'follow.mjs')).trim().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['account_created', 'account_locked']);
});
