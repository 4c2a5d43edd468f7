import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { hours, iso, minutes } from '../../contract/units.ts';
import { recordSettings } from '../../operations/service.ts';
import { openKeyEncryption } from '../../security/macs.ts';
import { isSecret, readConfig, settingNames, settingsInForce } from '../../server/settings/config.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { listAuditEntries } from '../../store/operators/audit-log.ts';
import { markNodeSeen } from '../../store/operators/nodes.ts';
import { hourOf } from '../../store/operators/statistics.ts';
import { disableReceiver } from '../../store/webhooks/record-event.ts';
import type { TestResponse } from '../../testing/client.ts';
import { engines, overtake } from '../../testing/databases/databases.ts';
import { addProgram } from '../../testing/operators.ts';
import { confirmedPhone, password, register, registerOwner } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

test('today names what does not work, the doctor’s findings and missing nodes among them', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'viewer');
  const { store, now } = server;
  const node = { name: 'east', started_at: now(), version: '1' };
  await markNodeSeen(store, { ...node, id: 'a', seen_at: now() });
  await markNodeSeen(store, { ...node, id: 'b', name: 'west', seen_at: now() - minutes(3) });
  await markNodeSeen(store, { ...node, id: 'c', name: 'north', version: '2', seen_at: now() });
  for (let count = 0; count < 25; count += 1)
    await store
      .insertInto('lockouts')
      .values({
        ...{ key: `k${count}`, failures: 5, pending: 0, pending_since: now(), last_failure_at: now() },
        locked_until: now() + minutes(1),
      })
      .execute();
  const receiver = { url: 'https://app.example/hooks', events: ['account.created'] };
  const { body: added } = await (await registerOwner(server)).post('/operators/webhooks', receiver);
  await disableReceiver(store, { id: added.id, at: now() });
  const { body } = await client.get('/operators/today');
  const codes = body.items.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(expect.arrayContaining(['node_missing', 'versions_differ', 'guesses', 'webhooks_disabled']));
  expect(body.items.find(({ code }: { code: string }) => code === 'node_missing').text).toContain('west');
  expect(body.items.find(({ code }: { code: string }) => code === 'guesses').text).toContain('lock 25');
  const inbox = { code: 'mail_unset', state: 'warning', params: {}, see: '/operators/settings' };
  expect(body.items).toContainEqual({ ...inbox, text: expect.stringMatching(/^mail: .*set SMTP_URL/) });
  expect(body).toMatchObject({ examined_at: expect.any(String), examined_node: hostname(), examining: false });
  expect((await client.get('/operators/today?again=true')).body).toEqual(body);
  expect(await client.get('/operators/today?again=1')).toSay('422 validation_failed again not_understood');
});

test('today names the network of a flood for a day, and a node alone is not named', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'viewer');
  const today = async () => (await client.get('/operators/today')).body;
  const hour = hourOf(server.now()) - 3;
  const count = (series: 'sign_ins' | 'refused_from', label: string, count: number) =>
    server.store.insertInto('statistics').values({ series, hour, label, count }).execute();
  await count('sign_ins', 'pwd', 300);
  await count('sign_ins', 'refused too_many_attempts', 800);
  expect((await today()).items.filter(isFlood)).toEqual([]);
  await count('sign_ins', 'refused incorrect_login_or_password', 1200);
  const span = { since: iso(hours(hour)), until: iso(hours(hour + 1)) };
  expect((await today()).items.filter(isFlood)).toMatchObject([
    { code: 'flood_spread', params: { count: 2000, ...span } },
  ]);
  await count('refused_from', '203.0.113.0/24', 1840);
  await count('refused_from', '192.0.2.0/24', 60);
  expect(await today()).toMatchObject({ examined_node: null });
  expect((await today()).items.filter(isFlood)).toMatchObject([
    {
      code: 'flood',
      params: { count: 2000, ...span, network: '203.0.113.0/24', share: 0.92 },
      text: expect.stringContaining('92 %'),
    },
  ]);
  await server.store
    .updateTable('statistics')
    .set({ hour: hour - 24 })
    .execute();
  expect((await today()).items.filter(isFlood)).toEqual([]);
});

const isFlood = ({ code }: { readonly code: string }) => code.startsWith('flood');

test('settings in force are listed without secrets, and only to owners', async () => {
  const secret = 'a secret of more than thirty-two characters';
  const server = await openTestServer('sqlite', { SECRET_KEY: secret, PASSWORD_MIN_LENGTH: '9' });
  expect(await (await addProgram(server, 'support')).client.get('/operators/settings')).toSay('403 role_insufficient');
  const { body } = await (await registerOwner(server)).get('/operators/settings');
  expect(JSON.stringify(body)).not.toContain(secret);
  const of = (name: string) => body.items.find((one: { name: string }) => one.name === name);
  expect(of('SECRET_KEY')).toEqual({ name: 'SECRET_KEY', value: null, from: 'environment', secret: true });
  expect(of('PASSWORD_MIN_LENGTH')).toMatchObject({ value: '9', from: 'environment' });
  expect(of('DELETION_GRACE_DAYS')).toMatchObject({ from: 'default' });
});

test('every setting with a secret in its name is one', () => {
  const named = settingNames.filter((name) => /SECRET|KEY|TOKEN|PASSWORD|PEPPER|LOGIN|HEADERS/.test(name));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !isSecret(name))).toEqual(['PASSKEYS', 'PASSWORD_MIN_LENGTH']);
  expect(['PUBLIC_URL', 'SMTP_URL', 'HOST', 'WEBAUTHN_RP_ID'].filter(isSecret)).toEqual([]);
});

test('support reads calls, promo codes, webhooks and deliveries; owners also signing keys', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'support');
  for (const code of ['SUMMER1', 'SUMMER2']) await client.post('/operators/promo-codes', { code });
  const unused = await client.post('/operators/promo-codes', { code: 'SUMMER3', uses: 0 });
  expect(unused).toSay('422 validation_failed uses number_invalid');
  const { body: first } = await client.get('/operators/promo-codes?limit=1');
  const { body: second } = await client.get(`/operators/promo-codes?limit=1&cursor=${first.next}`);
  expect([...first.items, ...second.items].map(({ code }) => code)).toEqual(['SUMMER1', 'SUMMER2']);
  expect(second.next).toBeNull();
  for (const list of ['emails', 'suppressed', 'deliveries'])
    expect(await client.get(`/operators/${list}?cursor=junk`)).toSay('422 validation_failed cursor not_understood');
  expect((await client.get('/operators/calls?days=1')).body.budget.spent).toBe(0);
  expect(await client.get('/operators/calls?days=8')).toSay('422 validation_failed days not_understood');
  const badTime = await client.get('/operators/statistics?series=calls&from=yesterday');
  expect(badTime).toSay('422 validation_failed from not_understood');
  expect((await client.get('/operators/webhooks')).body).toEqual({ items: [] });
  expect(await client.post('/operators/webhooks/x/enable')).toSay('404 not_found');
  const delivery = { receiver: 'r', account_id: 'a', position: 1, type: 'account.changed', data: '{}' } as const;
  for (const id of ['w1', 'w2'])
    await server.store
      .insertInto('webhook_deliveries')
      .values({ ...delivery, id, created_at: 1, due_at: 1, attempts: 0, leased_until: 0, gave_up_at: 2 })
      .execute();
  const { body: page } = await client.get('/operators/deliveries?limit=1');
  const { body: rest } = await client.get(`/operators/deliveries?limit=1&cursor=${page.next}`);
  expect([page.items[0], rest.items[0]]).toMatchObject([
    { id: 'w2', state: 'given_up' },
    { id: 'w1', state: 'given_up' },
  ]);
  expect((await client.post('/operators/deliveries/retry', { ids: ['w1'] })).body).toEqual({ retried: ['w1'] });
  expect((await client.post('/operators/deliveries/retry', { ids: 'all' })).body).toEqual({ retried: ['w2'] });
  const some = await client.post('/operators/deliveries/retry', { ids: 'some' });
  expect(some).toSay('422 validation_failed ids not_understood');
  const keys = (await (await registerOwner(server)).get('/operators/keys')).body.items;
  expect(keys.length).toBeGreaterThan(0);
  expect(Object.keys(keys[0])).toEqual(['id', 'purpose', 'created_at', 'verifies_until']);
});

test('statistics count sign-ins, refusals, registrations, emails and response times', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await addProgram(server, 'viewer');
  const { email } = await register(server);
  await server.mailTo(email);
  for (const wrong of ['a wrong one', 'another one', 'and another'])
    await server.client().post('/auth/login', { email, password: wrong });
  await server.client().post('/auth/login', { email, password });
  await server.counters.flush();
  const counted = async (query: string) => (await client.get(`/operators/statistics?${query}`)).body.items;
  const at = new Date(server.now()).toISOString().slice(0, 10);
  expect((await counted('series=registrations')).at(-1)).toEqual({
    series: 'registrations',
    at,
    values: expect.objectContaining({ registered: 1 }),
  });
  expect(await counted('series=registrations&to=2020-01-01')).toEqual([]);
  const byHour = await counted('by=hour');
  const values = (name: string) => byHour.find(({ series }: { series: string }) => series === name)?.values;
  expect(values('sign_ins')).toEqual({ pwd: 1, 'refused incorrect_login_or_password': 3 });
  expect(values('refused_from')).toEqual({ '127.0.0.0/24': 3 });
  expect(values('registrations')).toEqual({ registered: 1 });
  expect(values('emails').sent).toBeGreaterThan(0);
  expect(values('response_times')).toMatchObject({ requests: expect.any(Number), p99: expect.any(Number) });
});

test('statistics count calls by provider and country, and each device once an hour', async () => {
  const server = await openTestServer('sqlite', { PHONE_CONFIRMATION: 'optional' });
  const { browser } = await register(server);
  await confirmedPhone(server);
  const { body: offer } = await browser.post('/computers/enrolments', { password });
  const computer = { code: offer.code, name: 'Desk', platform: 'linux' };
  const { body: added } = await server.client().send('POST', '/computers/enrol', { body: computer });
  const device = Object.assign(server.client(), { token: added.device_token });
  server.forward(minutes(60));
  for (let beat = 0; beat < 3; beat += 1) await device.send('POST', '/computers/heartbeat', { body: {} });
  await server.counters.flush();
  // The running hour has not heard from all devices yet.
  server.forward(minutes(60));
  const { client } = await addProgram(server, 'viewer');
  const { items } = (await client.get('/operators/statistics?by=hour')).body;
  const values = (name: string) => items.find(({ series }: { series: string }) => series === name)?.values;
  expect(values('calls')).toEqual({ asked: 1, 'placed development DE': 1, 'confirmed development DE': 1 });
  expect(values('devices')).toEqual({ online: 1 });
});

test('owners add, change and remove applications, whose secrets appear once', async () => {
  const server = await openTestServer('sqlite');
  const browser = await registerOwner(server);
  const wiki = { client_name: 'Wiki', redirect_uris: ['https://wiki.example/callback'] };
  const { body: added } = await browser.post('/operators/applications', { ...wiki, from_file: true });
  expect(added).toEqual({ client_id: expect.any(String), client_secret: expect.stringMatching(/^.{43}$/) });
  const of = `/operators/applications/${added.client_id}`;
  const change = (body: object) => browser.send('PATCH', of, { body });
  for (const [changes, words, line] of [
    [{ redirect_uris: ['https://wiki.example/', 'https://*.wiki.example/'] }, 'redirect_uris uri_invalid', 2],
    [{ redirect_uris: ['http://wiki.example/'] }, 'redirect_uris uri_insecure', 1],
    [{ post_logout_redirect_uris: ['com.example.wiki:/'] }, 'post_logout_redirect_uris uri_insecure', 1],
    [{ backchannel_logout_uri: 'wiki.example' }, 'backchannel_logout_uri uri_invalid', 1],
    [{ redirect_uris: [] }, 'redirect_uris required', undefined],
    [{ redirect_uris: ['https://wiki.example/.vestibule/callback'] }, 'first_party required', undefined],
    [{ groups: ['two words'] }, 'groups not_understood', undefined],
  ] as const) {
    const refused = await change(changes);
    expect(refused).toSay(`422 validation_failed ${words}`);
    expect(refused.body.fields[0].params?.line).toBe(line);
  }
  const logout = { backchannel_logout_uri: 'https://wiki.example/ended' };
  expect((await change({ first_party: true, ...logout })).body.client_secret).toBeNull();
  expect((await browser.get(of)).body.application).toMatchObject(logout);
  await change({ backchannel_logout_uri: null });
  expect((await browser.get(of)).body.application).not.toHaveProperty('backchannel_logout_uri');
  expect((await browser.post(`${of}/secrets`)).status).toBe(201);
  expect(await browser.post(`${of}/secrets`)).toSay('409 secret_limit_reached');
  expect((await browser.send('DELETE', `${of}/secrets/older`, { body: {} })).status).toBe(204);
  const { client: support } = await addProgram(server, 'support');
  const { body } = await support.get(of);
  expect(body.application).toMatchObject({ ...wiki, first_party: true, from_file: false });
  expect(JSON.stringify(body)).not.toContain(added.client_secret);
  expect((await support.get('/operators/applications')).body.items).toEqual([body.application]);
  expect(await support.send('PATCH', of, { body: {} })).toSay('403 role_insufficient');
  await server.store.updateTable('clients').set({ from_file: 1 }).execute();
  expect(await browser.send('PATCH', of, { body: { client_name: 'Mine' } })).toSay('409 from_file');
  expect((await browser.send('DELETE', of, { body: {} })).status).toBe(204);
  expect(await browser.get(of)).toSay('404 not_found');
});

describe.each(engines)('a change of an application, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('keeps what another operator changes meanwhile, and does not bring back an application that one removes', async () => {
    const browser = await registerOwner(server);
    const wiki = { client_name: 'Wiki', redirect_uris: ['https://wiki.example/callback'] };
    const of = `/operators/applications/${(await browser.post('/operators/applications', wiki)).body.client_id}`;
    const rename = (change: Parameters<typeof overtake>[1]['change']) =>
      overtake(server.store, { change, send: () => browser.send('PATCH', of, { body: { client_name: 'The wiki' } }) });
    const client = (trx: StoreTransaction) => trx.updateTable('clients').where('name', '=', 'Wiki');
    expect(await rename((trx) => client(trx).set({ redirect_uris: '["https://new.example/"]' }).execute())).toSay(
      '200',
    );
    const { application } = (await browser.get(of)).body;
    expect(application).toMatchObject({ client_name: 'The wiki', redirect_uris: ['https://new.example/'] });
    expect(await rename((trx) => trx.deleteFrom('clients').execute())).toSay('404 not_found');
    expect(await browser.get(of)).toSay('404 not_found');
  });

  test('adds a secret and ends the older one once, however many owners do it', async () => {
    const browser = await registerOwner(server);
    const notes = { client_name: 'Notes', redirect_uris: ['https://notes.example/callback'] };
    const of = `/operators/applications/${(await browser.post('/operators/applications', notes)).body.client_id}`;
    const codes = async (send: () => Promise<TestResponse>) =>
      (await Promise.all(Array.from({ length: 6 }, send))).map(({ status }) => status).sort();
    expect(await codes(() => browser.post(`${of}/secrets`))).toEqual([201, 409, 409, 409, 409, 409]);
    const drop = () => browser.send('DELETE', `${of}/secrets/older`, { body: {} });
    expect(await codes(drop)).toEqual([204, 404, 404, 404, 404, 404]);
  });
});

test('a start with other settings is an entry of the audit log, which has no secrets', async () => {
  const { store, now } = await openTestServer('sqlite');
  const secretKey = openKeyEncryption('x'.repeat(32));
  const start = (environment: Record<string, string>, secrets = secretKey) =>
    recordSettings(
      { store, operator: { kind: 'service', actor: 'start', origin: 'host', reason: undefined }, now: now() },
      {
        settings: settingsInForce(
          readConfig({ NODE_ENV: 'test', PUBLIC_URL: 'http://localhost:3000', ...environment }),
        ),
        secrets,
      },
    );
  const changes = async () =>
    (await listAuditEntries(store, { max: 9 })).flatMap(({ action, subject }) =>
      action === 'settings_changed' ? [subject] : [],
    );
  await start({ PORT: '3001' });
  await start({ PORT: '3002' });
  expect(await changes()).toEqual([]);
  const changed = { PASSWORD_MIN_LENGTH: '9', SMTP_URL: 'smtp://me:hidden@mail.example', UCALLER_SECRET: 'hidden-too' };
  await Promise.all([start(changed), start(changed)]);
  expect(await changes()).toEqual(['SMTP_URL=smtp://…@mail.example, UCALLER_SECRET, PASSWORD_MIN_LENGTH=9']);
  await start({ UCALLER_SECRET: 'hidden-too' });
  expect((await changes())[0]).toBe('SMTP_URL removed, PASSWORD_MIN_LENGTH=6');
  await start({ UCALLER_SECRET: 'hidden-too' }, openKeyEncryption('y'.repeat(32)));
  expect((await changes())[0]).toBe('SECRET_KEY');
});
