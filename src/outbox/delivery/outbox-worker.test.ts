import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import { openStore } from '../../store/database.ts';
import {
  engines,
  freshStore,
  migratedDatabase,
  openTestStore,
  usualEngines,
  withLongTimeouts,
} from '../../testing/databases/databases.ts';
import {
  account,
  emailOf,
  eventually,
  postCode,
  postNotice,
  postRecovery,
  recordingSender,
  recoveryLink,
  runOutbox,
  secrets,
  testClock,
} from '../../testing/outbox.ts';
import { Undeliverable } from '../compose.ts';
import { enqueueEmail } from '../enqueue-email.ts';
import { usualLimits } from '../smtp/smtp.ts';
import { pauseAfter } from './circuit-breaker.ts';

describe.each(usualEngines)('the outbox on %s', (engine) => {
  it('delivers a committed email immediately, then forgets the live link', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const { sender, sent } = recordingSender();
    const outbox = runOutbox({ store, now, sender });
    const id = await postRecovery(store, { to: account('ada'), at: now() });
    outbox.wake();
    await eventually(async () => expect((await emailOf(store, id)).sent_at).toBe(now()));
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      id,
      messageId: `<${id}@sign-in.example>`,
      from: { name: 'Vestibule', address: 'no-reply@sign-in.example' },
      to: 'ada@mail.example',
      replyTo: 'help@sign-in.example',
      subject: 'Set a new password for Vestibule',
    });
    expect(sent[0]?.text).toContain(recoveryLink);
    expect(await emailOf(store, id)).toMatchObject({ params: '{}', last_error: null, attempts: 1 });
    expect(await outbox.counts()).toEqual({ queued: 0, oldest: 0, sent: 1, failed: 0, withheld: 0, refused: 0 });
  });

  it('finds an email that another node enqueued', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const { sender, sent } = recordingSender();
    runOutbox({ store, now, sender });
    await postRecovery(store, { to: account('ada'), at: now() });
    await eventually(() => expect(sent).toHaveLength(1));
  });

  it('sends nothing from a transaction that was rolled back', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const { sender, sent } = recordingSender();
    const outbox = runOutbox({ store, now, sender });
    const refused = store.transaction().execute(async (trx) => {
      await enqueueEmail(trx, {
        notice: 'recovery',
        params: { link: recoveryLink },
        account: account('ada'),
        at: now(),
        secrets,
      });
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    await postRecovery(store, { to: account('eve'), at: now() });
    outbox.wake();
    await eventually(() => expect(sent.map(({ to }) => to)).toEqual(['eve@mail.example']));
  });

  it('retries after growing pauses, under one Message-ID', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const attempts: string[] = [];
    const { sender, sent } = recordingSender((mail) => {
      attempts.push(mail.messageId);
      if (attempts.length < 4) throw new Error('451 come back later');
    });
    const outbox = runOutbox({ store, now: clock.now, sender });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    for (const [failed, pause] of [seconds(2), seconds(10), seconds(30)].entries()) {
      await eventually(async () => {
        const row = await emailOf(store, id);
        expect(row).toMatchObject({ attempts: failed + 1, due_at: clock.at + pause, leased_until: 0 });
        expect(row.last_error).toContain('451');
      });
      clock.pass(pause);
      outbox.wake();
    }
    await eventually(() => expect(sent).toHaveLength(1));
    expect(new Set(attempts).size).toBe(1);
    expect(sent[0]?.text).toContain(recoveryLink);
  });

  it('sends urgent emails ahead of any number of notices, however slowly those leave', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const notices = Array.from({ length: 20 }, (_, at) => account(at % 2 ? 'ada' : `other${at}`));
    for (const to of notices) {
      await store
        .transaction()
        .execute((trx) =>
          enqueueEmail(trx, { notice: 'password_changed', params: { when: now() }, account: to, at: now() }),
        );
    }
    let release = () => {};
    const slowly = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { sender, sent } = recordingSender((mail) => (mail.text.includes(recoveryLink) ? undefined : slowly));
    const outbox = runOutbox({ store, now, sender });
    const recovery = await postRecovery(store, { to: account('ada'), at: now() });
    outbox.wake();
    await eventually(() => expect(sent.map(({ id }) => id)).toEqual([recovery]));
    release();
    await eventually(() => expect(sent).toHaveLength(21));
  });

  it('gives up visibly after a day, then sends later emails', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    let down = true;
    const { sender, sent } = recordingSender(() => {
      if (down) throw new Error('connect ECONNREFUSED');
    });
    const outbox = runOutbox({ store, now: clock.now, sender });
    const posted = clock.now();
    const id = await postRecovery(store, { to: account('ada'), at: posted });
    for (let attempts = 1; ; attempts += 1) {
      outbox.wake();
      await eventually(async () => {
        const row = await emailOf(store, id);
        expect([row.attempts, row.leased_until]).toEqual([attempts, 0]);
      });
      const { gave_up_at, due_at } = await emailOf(store, id);
      if (gave_up_at !== null) break;
      clock.at = due_at;
    }
    const row = await emailOf(store, id);
    expect(row.gave_up_at).toBe(posted + hours(24));
    expect(row.last_error).toBe('Not delivered within 24 hours. Before: connect ECONNREFUSED');
    expect(row.attempts).toBeGreaterThan(250);
    expect(await outbox.counts()).toEqual({ queued: 0, oldest: 0, sent: 0, failed: 1, withheld: 0, refused: 0 });

    down = false;
    await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(() => expect(sent).toHaveLength(1));
  });

  it('gives up an undeliverable email immediately, and does not log its address', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const { sender } = recordingSender(() => {
      throw new Undeliverable('550 5.1.1 <ada@mail.example>: no such mailbox');
    });
    const logged: unknown[] = [];
    const write = (...breaker: unknown[]) => logged.push(breaker);
    const outbox = runOutbox({ store, now, sender, log: { info: write, warn: write, error: write } });
    const id = await postRecovery(store, { to: account('ada'), at: now() });
    outbox.wake();
    await eventually(async () => expect((await emailOf(store, id)).gave_up_at).toBe(now()));
    const row = await emailOf(store, id);
    expect(row).toMatchObject({ sent_at: null, last_error: '550 5.1.1 <ada@mail.example>: no such mailbox' });
    expect(secrets.open(row.params).toString()).toContain(recoveryLink);
    expect(JSON.stringify(row)).not.toMatch(/s3cret|reset-password/);
    expect(JSON.stringify(logged)).toContain('no such mailbox');
    expect(JSON.stringify(logged)).not.toMatch(/ada@|s3cret/);
  });

  it('logs a sent email with its account and the response of the mail server', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const { sender } = recordingSender();
    const said = {
      ...sender,
      send: () => Promise.resolve('250 2.0.0 Ok:\r\n queued as 4bTkQ2 for <ada@mail.example>'),
    };
    const lines: object[] = [];
    const log = { info: (details: object, msg: string) => lines.push({ ...details, msg }), warn() {}, error() {} };
    const outbox = runOutbox({ store, now, sender: said, log });
    const id = await postRecovery(store, { to: account('ada'), at: now() });
    outbox.wake();
    await eventually(() =>
      expect(lines).toEqual([
        {
          outbox: id,
          notice: 'recovery',
          attempt: 1,
          account: 'ada',
          response: '250 2.0.0 Ok: queued as 4bTkQ2 for <…>',
          msg: 'email sent',
        },
      ]),
    );
  });

  it('leaves alone an email that only a newer node can compose', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const id = await postRecovery(store, { to: account('ada'), at: now() });
    await store.updateTable('outbox').set({ notice: 'of_tomorrow' }).where('id', '=', id).execute();
    const { sender, sent } = recordingSender();
    const outbox = runOutbox({ store, now, sender });
    await postRecovery(store, { to: account('eve'), at: now() });
    outbox.wake();
    await eventually(() => expect(sent).toHaveLength(1));
    expect(await emailOf(store, id)).toMatchObject({ attempts: 0, last_error: null });
    await eventually(async () => expect((await outbox.counts()).queued).toBe(1));
  });

  it('sends at most four emails in parallel', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    let [running, max] = [0, 0];
    const { sender, sent } = recordingSender(async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    });
    for (let at = 0; at < 12; at += 1) await postRecovery(store, { to: account(`p${at}`), at: now() });
    runOutbox({ store, now, sender });
    await eventually(() => expect(sent).toHaveLength(12));
    expect(max).toBe(4);
  });

  it('finishes sends in progress when it stops', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    let begun = false;
    const { sender, sent } = recordingSender(async () => {
      begun = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    const outbox = runOutbox({ store, now, sender });
    const id = await postRecovery(store, { to: account('ada'), at: now() });
    outbox.wake();
    await eventually(() => expect(begun).toBe(true));
    await outbox.stop();
    expect(sent).toHaveLength(1);
    expect((await emailOf(store, id)).sent_at).toBe(now());
    expect(outbox.usable()).toBe(false);
  });

  it('sends each email once, and those of each account in order, from two nodes on one database', async () => {
    const database = await migratedDatabase(engine);
    const stores = [openTestStore(database), openTestStore(database)] as const;
    const { now } = testClock();
    const posted: string[] = [];
    for (let at = 0; at < 120; at += 1)
      posted.push(await postNotice(stores[0], { to: account(`p${at % 30}`), at: now() }));

    const { sender, sent } = recordingSender(() => new Promise((resolve) => setTimeout(resolve, Math.random() * 5)));
    const nodes = stores.map((store) => runOutbox({ store, now, sender }));
    await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(posted.length));
    await Promise.all(nodes.map((node) => node.stop()));
    const counts = await Promise.all(nodes.map((node) => node.counts()));
    expect(sent.map(({ id }) => id).sort()).toEqual([...posted].sort());
    expect(counts.reduce((sum, count) => sum + count.sent, 0)).toBe(posted.length);
    for (const to of new Set(sent.map((mail) => mail.to))) {
      const ids = sent.filter((mail) => mail.to === to).map(({ id }) => id);
      expect(ids).toEqual([...ids].sort());
    }
  });

  it('logs once that it cannot reach its database', async () => {
    const store = openStore(await migratedDatabase(engine), withLongTimeouts);
    const { sender } = recordingSender();
    const errors: string[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: (_: object, text: string) => errors.push(text) };
    const outbox = runOutbox({ store, now: testClock().now, sender, log });
    await eventually(() => expect(outbox.usable()).toBe(true));
    await store.destroy();
    for (let at = 0; at < 3; at += 1) outbox.wake();
    await eventually(() => expect(errors).toEqual(['delivery of emails failed']));
  });

  it('reports how many emails wait, and for how long', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { sender } = recordingSender(() => {
      throw new Error('connection refused');
    });
    const outbox = runOutbox({ store, now: clock.now, sender });
    await postRecovery(store, { to: account('ada'), at: clock.now() });
    clock.pass(minutes(3));
    await postRecovery(store, { to: account('eve'), at: clock.now() });
    expect(await outbox.counts()).toEqual({
      queued: 2,
      oldest: minutes(3),
      sent: 0,
      failed: 0,
      withheld: 0,
      refused: 0,
    });
  });
});

/** A mail server that holds every email until the test ends its send; probes of the server fail. */
function slowServer() {
  const underWay: { fail(): void; succeed(): void }[] = [];
  const { sender, sent } = recordingSender(
    () =>
      new Promise((resolve, reject) => {
        underWay.push({ succeed: resolve, fail: () => reject(new Error('connect ETIMEDOUT')) });
      }),
    () => Promise.reject(new Error('connect ETIMEDOUT')),
  );
  const close = async () => {
    for (const { fail } of underWay) fail();
  };
  return { underWay, sender: { ...sender, close }, sent };
}

describe.each(engines)('an email that one node has claimed, on %s,', (engine) => {
  it('stays claimed while a send and a check may take', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const [slow, quick] = [slowServer(), recordingSender()];
    runOutbox({ store, now: clock.now, sender: slow.sender });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    await eventually(() => expect(slow.underWay).toHaveLength(1));
    clock.pass(usualLimits.longestSend + usualLimits.longestCheck);
    const other = runOutbox({ store, now: clock.now, sender: quick.sender });
    const later = await postRecovery(store, { to: account('eve'), at: clock.now() });
    other.wake();
    await eventually(() => expect(quick.sent.map((mail) => mail.id)).toContain(later));
    slow.underWay[0]?.succeed();
    await eventually(async () => expect((await emailOf(store, id)).sent_at).toBe(clock.now()));
    expect(quick.sent.map((mail) => mail.id)).not.toContain(id);
  });
});

it.each(usualEngines)('an urgent email does not go to an address on the suppression list, on %s', async (engine) => {
  const [store, { now }] = [await freshStore(engine), testClock()];
  await store
    .insertInto('unreachable_addresses')
    .values({
      email_key: 'ada@mail.example',
      email: 'ada@mail.example',
      reason: 'no_such_address',
      told_by: 'smtp',
      detail: '550 5.1.1',
      at: now(),
    })
    .execute();
  const id = await postCode(store, { to: account('ada'), at: now() });
  const { sender, sent } = recordingSender();
  const outbox = runOutbox({ store, now, sender });
  await eventually(async () => {
    const { sent_at, gave_up_at } = await emailOf(store, id);
    expect(sent_at ?? gave_up_at).toBe(now());
  });
  expect(sent).toEqual([]);
  expect(await outbox.counts()).toMatchObject({ withheld: 1, sent: 0 });
});

it.each([
  { attempts: 1, random: 0, pause: seconds(1.6) },
  { attempts: 1, random: 1, pause: seconds(2.4) },
  { attempts: 5, random: 0.5, pause: minutes(5) },
  { attempts: 99, random: 0.5, pause: minutes(5) },
])('after $attempts attempts, an email waits $pause ms', ({ pause, ...attempt }) =>
  expect(pauseAfter.email(attempt)).toBe(pause),
);
