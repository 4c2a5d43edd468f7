import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhooksDeliveries, webhooksEnable, webhooksList, webhooksRetry } from '../cli/webhooks.ts';
import { days, hours, seconds } from '../contract/units.ts';
import { eventTypes } from '../contract/webhook-events.ts';
import { openKeyEncryption } from '../security/macs.ts';
import { checkWebhooks } from '../server/doctor/examine-deliveries.ts';
import { readConfig } from '../server/settings/config.ts';
import type { Store } from '../store/database.ts';
import { recordEvent, subscribe } from '../store/webhooks/record-event.ts';
import { freshStore, usualEngines } from '../testing/databases/databases.ts';
import { eventually, testClock } from '../testing/outbox.ts';
import {
  newSecret,
  openWebhookReceiver,
  type WebhookReceiver,
  type WebhookReply,
  writeWebhooksFile,
} from '../testing/webhook-receiver.ts';
import { type Receiver, readReceivers } from './receivers.ts';
import { startWebhooks, type WebhookDeps, type Webhooks } from './webhook-worker.ts';

const secrets = openKeyEncryption(undefined);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const receiversOf = (...receivers: readonly Pick<WebhookReceiver, 'url' | 'secret'>[]): readonly Receiver[] =>
  readReceivers(writeWebhooksFile(receivers));

describe.each(usualEngines)('webhooks on %s', (engine) => {
  const shared = freshStore(engine);

  /** The tests share a database, since each has its own receivers. */
  async function open() {
    const clock = testClock(Date.now());
    const store = await shared;
    const receiver = async (reply?: WebhookReply, secret?: string) => {
      const opened = await openWebhookReceiver({
        now: clock.now,
        ...(reply && { reply }),
        ...(secret !== undefined && { secret }),
      });
      onTestFinished(opened.close);
      return opened;
    };
    const start = (receivers: readonly Receiver[], deps: Partial<WebhookDeps> = {}): Webhooks => {
      const webhooks = startWebhooks(
        { store, now: clock.now, log: silent, secrets, random: () => 0.5, ...deps },
        receivers,
      );
      onTestFinished(() => webhooks.stop());
      return webhooks;
    };
    const record = (accountId: string, data: object = {}) =>
      store
        .transaction()
        .execute((trx) => recordEvent(trx, { type: 'account.changed', accountId, at: clock.now(), data: { ...data } }));
    return { store, clock, receiver, start, record };
  }

  const rowsOf = (store: Store, accountId: string) =>
    store
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('position')
      .execute();

  it('get ten attempts over 75 hours with the same id, and then wait for an operator', async () => {
    const { store, clock, receiver, start, record } = await open();
    const [attempts, account] = [[] as number[], randomUUID()];
    let isDown = true;
    const app = await receiver((response) => {
      attempts.push(clock.now());
      response.writeHead(isDown ? 500 : 200).end();
    });
    const webhooks = start(receiversOf(app));
    const began = clock.now();
    await record(account);
    while (attempts.length < 10) {
      const nth = attempts.length + 1;
      webhooks.wake();
      await eventually(() => expect(attempts).toHaveLength(nth));
      await eventually(async () => expect((await rowsOf(store, account))[0]).toMatchObject({ leased_until: 0 }));
      const [row] = await rowsOf(store, account);
      if (row?.gave_up_at === null) clock.pass(row.due_at - clock.now());
    }
    expect((attempts[9] as number) - began).toBeGreaterThan(hours(75));
    expect((attempts[9] as number) - began).toBeLessThan(hours(76));
    expect(await rowsOf(store, account)).toMatchObject([{ gave_up_at: clock.now(), last_error: 'HTTP 500' }]);
    expect(new Set(app.received.map(({ id }) => id)).size).toBe(1);

    isDown = false;
    const { id } = (await rowsOf(store, account))[0] as { id: string };
    const config = readConfig({ PHONE_CONFIRMATION: 'off' });
    const input = { store, config, now: clock.now(), positionals: [id], options: {}, environment: {}, folder: '.' };
    expect(await webhooksRetry.run(input)).toMatchObject({ data: { retried: [id] }, failed: false });
    webhooks.wake();
    await eventually(async () => expect((await rowsOf(store, account))[0]?.sent_at).toBe(clock.now()));
    expect((await rowsOf(store, account))[0]?.data).toBe('');
    expect(await webhooksRetry.run(input)).toMatchObject({ data: { left: [id] }, failed: true });
  });

  it('arrive in the order of each account, and accounts do not wait for each other', async () => {
    const { store, clock, receiver, start, record } = await open();
    const [ada, eve] = [randomUUID(), randomUUID()];
    let refusals = 1;
    const app = await receiver((response, { data }) => {
      const isRefused = data.step === 1 && (data.account as { id: string }).id === ada && refusals-- > 0;
      response.writeHead(isRefused ? 503 : 204).end();
    });
    subscribe(store, receiversOf(app));
    for (const step of [1, 2, 3]) for (const account of [ada, eve]) await record(account, { step });
    const webhooks = start(receiversOf(app));
    const stepsOf = (account: string) =>
      app.received.filter(({ data }) => (data.account as { id: string }).id === account).map(({ data }) => data.step);
    await eventually(() => expect(stepsOf(eve)).toEqual([1, 2, 3]));
    expect(stepsOf(ada)).toEqual([1]);
    clock.pass(hours(1));
    webhooks.wake();
    await eventually(() => expect(stepsOf(ada)).toEqual([1, 1, 2, 3]));
    expect(app.rejected).toEqual([]);
  });

  it('reach a receiver although another one never responds', async () => {
    const { store, receiver, start, record } = await open();
    const hanging: ServerResponse[] = [];
    const [stuck, app] = [await receiver((response) => hanging.push(response)), await receiver()];
    const webhooks = start(receiversOf(stuck, app));
    const accounts = Array.from({ length: 12 }, () => randomUUID());
    for (const account of accounts) await record(account);
    webhooks.wake();
    await eventually(() => expect(app.received).toHaveLength(12));
    expect(hanging.length).toBeLessThanOrEqual(4);
    await webhooks.stop();
    const [row] = (await rowsOf(store, accounts[0] as string)).filter((one) => one.sent_at === null);
    expect(row).toMatchObject({ attempts: 0, leased_until: 0, gave_up_at: null });
  });

  it.each<[string, WebhookReply, string | undefined]>([
    ['redirects', (response) => response.writeHead(307, { location: '/elsewhere' }).end(), 'HTTP 307, a redirect'],
    ['drips its headers', (response) => drip(response), 'no response in time'],
    ['responds with an endless body', (response) => flood(response.writeHead(200)), undefined],
    ['promises a gigabyte', (response) => flood(response.writeHead(200, { 'content-length': 2 ** 30 })), undefined],
    ['drips its body', (response) => dripBody(response.writeHead(200)), undefined],
    ['refuses with a dripping body', (response) => dripBody(response.writeHead(500)), 'HTTP 500'],
    ['closes the connection', (response) => response.destroy(), 'the connection or response broke off'],
    ['sends endless headers', (response) => endlessHeaders(response), 'HPE_HEADER_OVERFLOW'],
  ])('survive a receiver that %s', async (_what, reply, error) => {
    const { store, receiver, start, record } = await open();
    const [account, app] = [randomUUID(), await receiver(reply)];
    const webhooks = start(receiversOf(app), { responseTimeout: 1000 });
    await record(account);
    webhooks.wake();
    await eventually(async () =>
      expect(await rowsOf(store, account)).toMatchObject([
        { attempts: 1, leased_until: error ? 0 : expect.anything() },
      ]),
    );
    await eventually(async () => {
      const [row] = await rowsOf(store, account);
      if (error === undefined) expect(row?.sent_at).not.toBeNull();
      else expect(row?.last_error).toContain(error);
    });
    expect(app.received).toHaveLength(1);
  });

  it('are not sent to a receiver that responded 410 Gone until an operator enables it, on any node', async () => {
    const { store, clock, receiver, start, record } = await open();
    const [account, late] = [randomUUID(), randomUUID()];
    let status = 410;
    const app = await receiver((response) => response.writeHead(status).end());
    const file = writeWebhooksFile([app]);
    const first = start(readReceivers(file));
    await record(account);
    first.wake();
    await eventually(async () => expect(await first.counts()).toMatchObject({ disabled: 1, queued: 1 }));
    status = 204;
    const second = start(readReceivers(file));
    await record(late);
    second.wake();
    expect(await rowsOf(store, late)).toEqual([]);
    const input = { store, now: clock.now(), options: {}, environment: {}, folder: '.' };
    const config = readConfig({ PHONE_CONFIRMATION: 'off', WEBHOOKS_FILE: file });
    const id = readReceivers(file)[0]?.id as string;
    const listed = await webhooksList.run({ ...input, config, positionals: [] });
    expect(listed.data).toMatchObject({ receivers: [{ id, receiver: app.url, disabled_at: expect.any(String) }] });
    const deliveries = await webhooksDeliveries.run({ ...input, config, positionals: [] });
    const refused = { account, receiver: app.url, state: 'queued', last_error: 'HTTP 410' };
    expect(deliveries.data).toMatchObject({ deliveries: expect.arrayContaining([expect.objectContaining(refused)]) });
    expect(`${listed.text}${deliveries.text}`).not.toContain(app.secret);
    const found = await checkWebhooks(store, { config, now: clock.now() });
    expect(found).toMatchObject({
      code: 'webhooks_disabled',
      message: expect.stringMatching(/^1 receiver, 1 webhook queued; 1 disabled after 410/),
    });
    const enabled = await webhooksEnable.run({ ...input, config, positionals: [id] });
    expect(enabled).toMatchObject({ data: { enabled: true }, failed: false });
    second.wake();
    await eventually(async () => expect(await second.counts()).toMatchObject({ disabled: 0, queued: 0 }));
    expect(app.received).toHaveLength(2);
  });

  it('carry a signature for each secret during a change, and use new receivers without a restart', async () => {
    const { receiver, start, record } = await open();
    const [former, next] = [newSecret(), newSecret()];
    const [old, changed] = [await receiver(undefined, former), await receiver(undefined, next)];
    const webhooks = start([]);
    webhooks.use(
      receiversOf({ ...old, secret: [next, former] as never }, { ...changed, secret: [next, former] as never }),
    );
    await record(randomUUID());
    webhooks.wake();
    await eventually(() => expect([old.received.length, changed.received.length]).toEqual([1, 1]));
    expect([...old.rejected, ...changed.rejected]).toEqual([]);
  });

  it.each([
    ['was set back by a day', 0, days(1)],
    ['had been a year ahead for one attempt', days(365), days(365)],
  ])('are retried although the clock %s while the service was down', async (_what, ahead, back) => {
    const { store, clock, receiver, start, record } = await open();
    const account = randomUUID();
    let refusals = 1;
    const app = await receiver((response) => response.writeHead(refusals-- > 0 ? 503 : 204).end());
    const receivers = receiversOf(app);
    subscribe(store, receivers);
    await record(account);
    clock.pass(ahead);
    const before = start(receivers);
    await eventually(async () => expect(await rowsOf(store, account)).toMatchObject([{ last_error: 'HTTP 503' }]));
    await before.stop();
    clock.pass(-back);
    start(receivers);
    await eventually(() => expect(app.received).toHaveLength(2));
  });

  it('keep their pauses when a node starts', async () => {
    const { store, clock, receiver, start, record } = await open();
    const [account, other] = [randomUUID(), randomUUID()];
    let refusals = 1;
    const app = await receiver((response) => response.writeHead(refusals-- > 0 ? 503 : 204).end());
    const receivers = receiversOf(app);
    const before = start(receivers);
    await record(account);
    before.wake();
    await eventually(async () => expect(await rowsOf(store, account)).toMatchObject([{ last_error: 'HTTP 503' }]));
    await before.stop();
    await record(other);
    start(receivers);
    await eventually(async () => expect((await rowsOf(store, other))[0]?.sent_at).toBe(clock.now()));
    expect(await rowsOf(store, account)).toMatchObject([{ due_at: clock.now() + seconds(5), attempts: 1 }]);
  });

  it('stay unwritten without receivers, and if their transaction is rolled back', async () => {
    const { store, receiver, record } = await open();
    const account = randomUUID();
    subscribe(store, []);
    await record(account);
    subscribe(store, receiversOf(await receiver()));
    const undone = store.transaction().execute(async (trx) => {
      await recordEvent(trx, { type: 'account.deleted', accountId: account, at: Date.now() });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rowsOf(store, account)).toEqual([]);
    subscribe(store, receiversOf({ ...(await receiver()), events: [eventTypes[0]] } as never));
    await record(account);
    expect(await rowsOf(store, account)).toEqual([]);
  });
});

function drip(response: ServerResponse): void {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const timer = setInterval(() => socket?.write('a'), 50);
  socket?.on('close', () => clearInterval(timer));
}

function dripBody(response: ServerResponse): void {
  response.write('a');
  const timer = setInterval(() => response.write('a'), 50);
  response.on('close', () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  response.on('error', () => undefined);
  more();
}

function endlessHeaders(response: ServerResponse): void {
  const { socket } = response;
  socket?.on('error', () => undefined);
  socket?.write('HTTP/1.1 200 OK\r\n');
  const more = () => {
    while (!socket?.destroyed && socket?.write(`X-${'a'.repeat(1000)}: b\r\n`));
  };
  socket?.on('drain', more);
  more();
}
