import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openKeyEncryption } from '../../security/macs.ts';
import { otherSealedColumns, replaceSealed } from '../../store/access/sealed-secrets.ts';
import { disableReceiver, recordEvent } from '../../store/webhooks/record-event.ts';
import { statusAndCode } from '../../testing/client.ts';
import { placeOf, runCommand } from '../../testing/command-line.ts';
import { engines, withPostgres } from '../../testing/databases/databases.ts';
import { eventually } from '../../testing/outbox.ts';
import { register, registerOwner } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import {
  newSecret,
  openWebhookReceiver,
  type WebhookReply,
  writeWebhooksFile,
} from '../../testing/webhook-receiver.ts';
import { readAllReceivers } from '../../webhooks/receivers.ts';

const secretKey = { SECRET_KEY: 'a secret of thirty-two characters' };

/** An application that verifies with the secret of the moment. */
async function application(reply?: WebhookReply) {
  const held = { secret: newSecret() };
  const app = await openWebhookReceiver({ secret: () => held.secret, ...(reply && { reply }) });
  onTestFinished(app.close);
  return { app, held };
}

describe.each(engines)('receivers of events, on %s,', (engine) => {
  test('are added, get events and a new secret, and are removed while the service runs', async () => {
    const server = await openTestServer(engine, secretKey);
    const browser = await registerOwner(server);
    const { app, held } = await application();
    const receiver = { url: `${app.url}?token=hidden`, events: ['account.created'] };
    const { body: added, status } = await browser.post('/operators/webhooks', receiver);
    expect([status, added.secret]).toEqual([201, expect.stringMatching(/^whsec_[\w+/]{43}=$/)]);
    held.secret = added.secret;
    const of = `/operators/webhooks/${added.id}`;
    const rows = JSON.stringify(await server.store.selectFrom('stored_receivers').selectAll().execute());
    for (const hidden of ['127.0.0.1', 'hidden', added.secret.slice(6)]) expect(rows).not.toContain(hidden);
    const [described] = (await browser.get('/operators/webhooks')).body.items;
    expect(described).toEqual({
      ...{ id: added.id, receiver: app.url, events: ['account.created'], secrets: 1 },
      ...{ from_file: false, disabled_at: null, doubt: null },
    });
    expect(await browser.post('/operators/webhooks', receiver)).toSay('409 webhook_exists');

    await register(server);
    await eventually(() => expect(app.received.map(({ type }) => type)).toEqual(['account.created']));
    const changed = { events: ['account.created', 'account.deleted'] };
    expect((await browser.send('PATCH', of, { body: changed })).status).toBe(204);
    expect((await browser.get('/operators/webhooks')).body.items[0]).toMatchObject(changed);
    const none = await browser.send('PATCH', of, { body: { events: [] } });
    expect(none).toSay('422 validation_failed events required');
    expect((await browser.post(`${of}/test`)).body).toEqual({ delivered: true, error: null });
    const { body: next } = await browser.post(`${of}/secrets`);
    expect(await browser.post(`${of}/secrets`)).toSay('409 secret_limit_reached');
    for (const secret of [added.secret, next.secret]) {
      held.secret = secret;
      expect((await browser.post(`${of}/test`)).body.delivered).toBe(true);
    }
    expect((await browser.send('DELETE', `${of}/secrets/older`, { body: {} })).status).toBe(204);
    expect(await browser.send('DELETE', `${of}/secrets/older`, { body: {} })).toSay('404 not_found');
    held.secret = added.secret;
    expect((await browser.post(`${of}/test`)).body).toEqual({ delivered: false, error: 'HTTP 400' });
    held.secret = next.secret;
    expect((await browser.post(`${of}/test`)).body.delivered).toBe(true);

    await disableReceiver(server.store, { id: added.id, at: server.now() });
    const concerns = (await browser.get('/operators/today')).body.items;
    expect(concerns).toContainEqual(expect.objectContaining({ code: 'webhooks_disabled', params: { count: 1 } }));
    expect((await browser.post(`${of}/enable`)).status).toBe(204);
    expect((await browser.send('DELETE', of, { body: {} })).status).toBe(204);
    expect((await browser.get('/operators/webhooks')).body.items).toEqual([]);
    const { length } = app.received;
    await register(server);
    expect(
      await server.store.selectFrom('webhook_deliveries').select('id').where('sent_at', 'is', null).execute(),
    ).toEqual([]);
    expect(app.received).toHaveLength(length);
    const log = (await browser.get('/operators/audit?limit=1000')).body.items;
    const about = log.filter(({ action }: { action: string }) => action.startsWith('webhook'));
    const actions = about.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => action !== 'webhook_tested')).toEqual([
      ...[
        'webhook_added',
        'webhook_changed',
        'webhook_secret_added',
        'webhook_secret_dropped',
        'webhooks_enabled',
        'webhook_removed',
      ],
    ]);
    expect(actions.filter((action: string) => action === 'webhook_tested')).toHaveLength(5);
    const subjects = new Set(about.map(({ subject }: { subject: string }) => subject));
    expect([...subjects]).toEqual([`${new URL(app.url).host} (${added.id})`]);
  });

  test('are tested 30 times in 15 minutes by one operator, and no more', async () => {
    const server = await openTestServer(engine);
    const [browser, other] = [await registerOwner(server), await registerOwner(server)];
    const { app } = await application();
    const { body } = await browser.post('/operators/webhooks', { url: app.url, events: ['account.created'] });
    const send = (by: typeof browser) => by.post(`/operators/webhooks/${body.id}/test`);
    const outcomes = (await Promise.all(Array.from({ length: 35 }, () => send(browser)))).map(statusAndCode);
    expect(outcomes.filter((one) => one === '429 too_many_requests')).toHaveLength(5);
    expect((await send(other)).status).toBe(200);
  });

  test('that were removed leave no event behind that waits for them', async () => {
    const server = await openTestServer(engine);
    const browser = await registerOwner(server);
    const { app } = await application((response) => response.writeHead(500).end());
    const { body } = await browser.post('/operators/webhooks', { url: app.url, events: ['account.created'] });
    await register(server);
    const waiting = server.store.selectFrom('webhook_deliveries').select('id').where('receiver', '=', body.id);
    expect(await waiting.execute()).toHaveLength(1);
    await browser.send('DELETE', `/operators/webhooks/${body.id}`, { body: {} });
    expect(await waiting.execute()).toEqual([]);
  });

  test('that were removed and are added again are not disabled', async () => {
    const server = await openTestServer(engine);
    const browser = await registerOwner(server);
    const add = async () =>
      (await browser.post('/operators/webhooks', { url: 'https://crm.example/', events: ['account.created'] })).body.id;
    const id = await add();
    await browser.send('DELETE', `/operators/webhooks/${id}`, { body: {} });
    await disableReceiver(server.store, { id, at: server.now() });
    expect(await add()).toBe(id);
    expect((await browser.get('/operators/webhooks')).body.items).toMatchObject([{ id, disabled_at: null }]);
  });

  test('are at most 50, also if many are added at the same time', async () => {
    const browser = await registerOwner(await openTestServer(engine));
    const add = async (n: number) =>
      statusAndCode(
        await browser.post('/operators/webhooks', { url: `https://crm.example/${n}`, events: ['account.created'] }),
      );
    const added = await Promise.all(Array.from({ length: 60 }, (_, n) => add(n)));
    expect(added.toSorted()).toEqual([
      ...Array.from({ length: 50 }, () => '201'),
      ...Array.from({ length: 10 }, () => '409 webhook_limit_reached'),
    ]);
  });

  test('that a command adds get events without a restart', async () => {
    const server = await openTestServer(engine, secretKey);
    const { app, held } = await application();
    const place = placeOf(server, secretKey);
    const run = async (...words: string[]) => {
      const { code, out, err } = await runCommand(words, place);
      return { code, err, ...(out.startsWith('{') && JSON.parse(out)) };
    };
    const { id, secret } = await run('webhooks', 'add', app.url, '--events', 'all', '--json');
    held.secret = secret;
    await register(server);
    await eventually(() => expect(app.received.map(({ type }) => type)).toContain('account.created'));
    expect(await run('webhooks', 'test', id, '--json')).toMatchObject({ code: 0, delivered: true });
    const events = ['account.locked', 'account.deleted'];
    expect(await run('webhooks', 'change', id, '--events', events.join(','), '--json')).toMatchObject({
      code: 0,
      events,
    });
    expect(await run('webhooks', 'secret', id, '--json')).toMatchObject({ code: 0, id });
    expect(await run('webhooks', 'secret', id, '--drop', '--json')).toMatchObject({ code: 0, dropped: true });
    expect(await run('webhooks', 'secret', id, '--drop', '--json')).toMatchObject({ code: 1 });
    expect((await run('webhooks', 'test', id, '--json')).code).toBe(1);
    expect((await run('webhooks', 'add', 'http://crm.example/', '--events', 'all')).code).toBe(2);
    expect((await run('webhooks', 'add', 'https://crm.example/', '--events', 'all,some')).code).toBe(2);
    await disableReceiver(server.store, { id, at: server.now() });
    expect((await runCommand(['doctor'], place)).out).toMatch(/webhooks +1 receiver, .*1 disabled after 410 Gone/);
    expect(await run('webhooks', 'remove', id, '--json')).toMatchObject({ code: 0, removed: true });
    expect((await run('webhooks', 'remove', id)).code).toBe(2);
  });

  test('are sealed again with the other secrets', async () => {
    const server = await openTestServer(engine, secretKey);
    const { app, held } = await application();
    const [browser, sent] = [await registerOwner(server), { url: app.url, events: ['account.created'] }];
    const { body } = await browser.post('/operators/webhooks', sent, { 'idempotency-key': 'k1' });
    held.secret = body.secret;
    const next = 'another of thirty-two characters';
    const both = openKeyEncryption(next, secretKey.SECRET_KEY);
    expect(
      await replaceSealed(server.store, otherSealedColumns, (sealed) => both.sealCurrent(both.open(sealed))),
    ).toBeGreaterThan(0);
    const kept = await server.store.selectFrom('operator_requests').select('response').executeTakeFirst();
    expect(both.isCurrent(kept?.response ?? '')).toBe(true);
    const stored = { store: server.store, secrets: openKeyEncryption(next), fromFile: [] };
    expect(await readAllReceivers(stored)).toMatchObject([{ id: body.id, url: new URL(app.url) }]);
    const place = placeOf(server, { SECRET_KEY: next, PREVIOUS_SECRET_KEY: secretKey.SECRET_KEY });
    expect((await runCommand(['webhooks', 'test', body.id], place)).code).toBe(0);
  });
});

test.runIf(withPostgres)('a receiver that is removed while an event happens leaves none behind', async () => {
  const server = await openTestServer('postgres');
  const browser = await registerOwner(server);
  const events = ['account.changed'];
  const { body } = await browser.post('/operators/webhooks', { url: 'https://crm.example/', events });
  const { store, now } = server;
  const { id } = await store.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const removal = await store.transaction().execute(async (trx) => {
    await recordEvent(trx, { type: 'account.changed', accountId: id, at: now() });
    const removed = browser.send('DELETE', `/operators/webhooks/${body.id}`, { body: {} });
    return { removed, before: await Promise.race([removed, pause(500)]) };
  });
  expect([removal.before, (await removal.removed).status]).toEqual([undefined, 204]);
  expect(await store.selectFrom('webhook_deliveries').select('id').execute()).toEqual([]);
});

test('receivers from WEBHOOKS_FILE are shown and tested, and change only there', async () => {
  const { app, held } = await application();
  const server = await openTestServer('sqlite', {
    WEBHOOKS_FILE: writeWebhooksFile([{ url: app.url, secret: held.secret }]),
  });
  const browser = await registerOwner(server);
  const [one] = (await browser.get('/operators/webhooks')).body.items;
  expect(one).toMatchObject({ receiver: app.url, from_file: true });
  const of = `/operators/webhooks/${one.id}`;
  expect((await browser.post(`${of}/test`)).body.delivered).toBe(true);
  const refused = [
    await browser.post(`${of}/secrets`),
    await browser.send('DELETE', `${of}/secrets/older`, { body: {} }),
    await browser.send('DELETE', of, { body: {} }),
    await browser.send('PATCH', of, { body: { events: ['account.created'] } }),
  ];
  expect(refused.map(statusAndCode)).toEqual(Array.from({ length: 4 }, () => '409 from_file'));
  const again = await browser.post('/operators/webhooks', { url: app.url, events: ['account.created'] });
  expect(again).toSay('409 webhook_exists');
});

test.each([
  'http://crm.example/',
  'https://me:secret@crm.example/',
  'https://crm.example/#a',
  'ftp://crm.example/',
  'x',
])('no receiver has the address %s', async (url) => {
  const browser = await registerOwner(await openTestServer('sqlite'));
  const refused = await browser.post('/operators/webhooks', { url, events: ['account.created'] });
  expect(refused).toSay('422 validation_failed url url_invalid');
});
