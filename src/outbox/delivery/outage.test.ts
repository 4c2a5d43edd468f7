import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import {
  account,
  emailOf,
  eventually,
  postNotice,
  postRecovery,
  recordingSender,
  runOutbox,
  testClock,
} from '../../testing/outbox.ts';
import { SendingBlocked } from '../compose.ts';

/** A mail server that can be switched off, and counts its probes. */
function switchedServer() {
  const server = { down: true, looks: 0, sends: 0, error: new Error('connect ECONNREFUSED') as Error };
  const { sender, sent } = recordingSender(
    () => {
      server.sends += 1;
      if (server.down) throw server.error;
    },
    async () => {
      server.looks += 1;
      if (server.down) throw server.error;
      return 'well';
    },
  );
  return { server, sender, sent };
}

const logOf = (lines: string[]) => {
  const write = (details: object, text: string) => lines.push(`${text} ${JSON.stringify(details)}`);
  return { info: write, warn: write, error: write };
};

describe.each(usualEngines)('a mail server that is down, on %s,', (engine) => {
  it('is detected once for all emails, which keep their order and their attempts', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { server, sender, sent } = switchedServer();
    const outbox = runOutbox({ store, now: clock.now, sender });
    const ids = [await postRecovery(store, { to: account('p0'), at: clock.now() })];
    outbox.wake();
    await eventually(async () => expect((await outbox.counts()).lastError).toBe('connect ECONNREFUSED'));
    for (let at = 1; at < 20; at += 1) {
      ids.push(await postRecovery(store, { to: account(`p${at}`), at: clock.now() }));
      outbox.wake();
    }
    await eventually(async () => {
      for (const id of ids)
        expect(await emailOf(store, id)).toMatchObject({ attempts: 0, due_at: clock.now(), leased_until: 0 });
    });
    expect(server.sends).toBeLessThanOrEqual(4);
    server.down = false;
    clock.pass(seconds(1));
    outbox.wake();
    await eventually(() => expect(sent).toHaveLength(20));
    for (const id of ids) expect(await emailOf(store, id)).toMatchObject({ attempts: 1, due_at: clock.now() - 1000 });
    expect((await outbox.counts()).lastError).toBeUndefined();
  });

  it('is probed again within fifteen seconds, however long it was down and however often the outbox wakes', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { server, sender, sent } = switchedServer();
    const nodes = [0, 1].map(() => runOutbox({ store, now: clock.now, sender }));
    const wakeAll = () => {
      for (const node of nodes) node.wake();
    };
    const ids: string[] = [];
    for (let second = 0; second < 120; second += 1) {
      if (second % 10 === 0) ids.push(await postRecovery(store, { to: account('ada'), at: clock.now() }));
      wakeAll();
      clock.pass(seconds(1));
      await new Promise((resolve) => setTimeout(resolve, 2));
      // The clock waits until the claims end: otherwise a lease would expire before its attempt ends.
      await eventually(async () => {
        for (const id of ids) expect(await emailOf(store, id)).toMatchObject({ leased_until: 0 });
      });
    }
    await eventually(async () => {
      for (const id of ids) expect(await emailOf(store, id)).toMatchObject({ attempts: 0, leased_until: 0 });
    });
    // Each node probes after its own pauses, which emails and requests never change.
    expect(server.looks).toBeLessThan(40);
    server.down = false;
    clock.pass(seconds(15));
    wakeAll();
    await eventually(() => expect(sent).toHaveLength(ids.length));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(ids.length);
    // The owner is waiting for the newest email: it is among the first four that each node sends.
    expect(sent.slice(0, nodes.length * 4).map(({ id }) => id)).toContain(ids.at(-1));
  });

  it('is not assumed if the server fails to respond to only one email', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { sender, sent } = recordingSender((mail) => {
      if (mail.to === 'ada@mail.example') throw new Error('Timeout');
    });
    const outbox = runOutbox({ store, now: clock.now, sender });
    const stuck = await postRecovery(store, { to: account('ada'), at: clock.now() });
    await postRecovery(store, { to: account('eve'), at: clock.now() });
    outbox.wake();
    await eventually(() => expect(sent.map(({ to }) => to)).toEqual(['eve@mail.example']));
    await eventually(async () =>
      expect(await emailOf(store, stuck)).toMatchObject({ attempts: 1, due_at: clock.now() + seconds(2) }),
    );
    expect((await outbox.counts()).lastError).toBeUndefined();
  });

  it('is logged once, and its end once', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { server, sender, sent } = switchedServer();
    const lines: string[] = [];
    const outbox = runOutbox({ store, now: clock.now, sender, log: logOf(lines) });
    await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    for (let time = 0; time < 5; time += 1) {
      const before = server.looks;
      clock.pass(seconds(15));
      await eventually(() => {
        outbox.wake();
        expect(server.looks).toBeGreaterThan(before);
      });
    }
    server.down = false;
    clock.pass(seconds(15));
    await eventually(() => {
      outbox.wake();
      expect(sent).toHaveLength(1);
    });
    expect(lines.filter((breaker) => breaker.startsWith('the mail server accepts nothing'))).toEqual([
      'the mail server accepts nothing {"error":"connect ECONNREFUSED"}',
    ]);
    expect(lines.filter((breaker) => breaker.startsWith('the mail server is back'))).toHaveLength(1);
  });

  it('is probed less often while it refuses us', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    let looks = 0;
    const { sender } = recordingSender(
      () => {
        throw new Error('Invalid login');
      },
      async () => {
        looks += 1;
        throw new SendingBlocked('535 5.7.8 authentication failed');
      },
    );
    const outbox = runOutbox({ store, now: clock.now, sender });
    await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect((await outbox.counts()).lastError).toContain('535'));
    clock.pass(seconds(14));
    outbox.wake();
    await outbox.counts();
    expect(looks).toBe(1);
    clock.pass(seconds(1));
    await eventually(() => {
      outbox.wake();
      expect(looks).toBe(2);
    });
  });

  it('does not keep the outbox from giving up and counting emails after a day', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { sender } = switchedServer();
    const lines: string[] = [];
    const outbox = runOutbox({ store, now: clock.now, sender, log: logOf(lines) });
    const ids = [
      await postRecovery(store, { to: account('ada'), at: clock.now() }),
      await postNotice(store, { to: account('ada'), at: clock.now() }),
    ];
    outbox.wake();
    await eventually(async () => expect((await outbox.counts()).lastError).toBeDefined());
    // An attempt in progress would end a day later.
    await eventually(async () => {
      for (const id of ids) expect(await emailOf(store, id)).toMatchObject({ leased_until: 0 });
    });
    clock.pass(hours(24) - 1);
    const young = await postRecovery(store, { to: account('eve'), at: clock.now() });
    clock.pass(1);
    outbox.wake();
    await eventually(async () => {
      for (const id of ids) {
        const row = await emailOf(store, id);
        expect(row.gave_up_at).toBe(clock.now());
        expect(row.last_error).toMatch(/^Not delivered within 24 hours/);
      }
    });
    expect((await emailOf(store, young)).gave_up_at).toBeNull();
    expect(await outbox.counts()).toMatchObject({ queued: 1, failed: 2 });
    expect(lines.filter((breaker) => breaker.startsWith('email given up'))).toHaveLength(2);
  });
});

describe.each(usualEngines)('an email that the server’s policy refuses, on %s,', (engine) => {
  it('is retried slowly, and logged immediately', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    let sends = 0;
    const { sender } = recordingSender(() => {
      sends += 1;
      throw new SendingBlocked('554 5.7.1 relay access denied');
    });
    const lines: string[] = [];
    const outbox = runOutbox({ store, now: clock.now, sender, log: logOf(lines) });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect(await emailOf(store, id)).toMatchObject({ due_at: clock.at + minutes(15) }));
    expect((await outbox.counts()).refused).toBe(1);
    expect(lines.filter((breaker) => breaker.startsWith('email refused by the mail server'))).toHaveLength(1);
    for (;;) {
      const row = await emailOf(store, id);
      if (row.gave_up_at !== null) break;
      const tries = row.attempts;
      clock.at = row.due_at;
      outbox.wake();
      await eventually(async () => {
        const now = await emailOf(store, id);
        expect([now.attempts, now.leased_until]).toEqual([tries + 1, 0]);
      });
    }
    expect(sends).toBeLessThanOrEqual(8);
  });
});

describe.each(usualEngines)('a clock that jumps, on %s,', (engine) => {
  it('forward during a send, does not send the email twice', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const finish: (() => void)[] = [];
    const { sender, sent } = recordingSender(() => new Promise((resolve) => finish.push(resolve)));
    const outbox = runOutbox({ store, now: clock.now, sender });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(() => expect(finish).toHaveLength(1));
    clock.pass(seconds(70));
    const other = await postRecovery(store, { to: account('eve'), at: clock.now() });
    outbox.wake();
    await eventually(() => expect(finish).toHaveLength(2));
    for (const end of finish) end();
    await eventually(() => expect(sent.map((mail) => mail.id).sort()).toEqual([id, other].sort()));
    clock.pass(seconds(70));
    outbox.wake();
    await outbox.stop();
    expect(finish).toHaveLength(2);
  });

  it('back by an hour, does not stop delivery', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    let failures = 1;
    const { sender, sent } = recordingSender(() => {
      if (failures-- > 0) throw new Error('451 come back later');
    });
    const outbox = runOutbox({ store, now: clock.now, sender });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect((await emailOf(store, id)).last_error).toContain('451'));
    clock.pass(-hours(1));
    outbox.wake();
    await eventually(async () => expect((await emailOf(store, id)).due_at).toBe(clock.now() + seconds(2)));
    clock.pass(seconds(2));
    outbox.wake();
    await eventually(() => expect(sent).toHaveLength(1));
  });

  it('back while the service was down, does not stop delivery', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    await postRecovery(store, { to: account('ada'), at: clock.now() });
    await store
      .updateTable('outbox')
      .set({ leased_until: clock.now() + seconds(60) })
      .execute();
    clock.pass(-hours(1));
    const { sender, sent } = recordingSender();
    runOutbox({ store, now: clock.now, sender });
    await eventually(() => expect(sent).toHaveLength(1));
  });

  it('ahead on one node, does not let a node that starts send the emails of the other', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const tried: string[] = [];
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { sender } = recordingSender(({ id }) => {
      tried.push(id);
      return finished;
    });
    const ahead = runOutbox({ store, now: () => clock.now() + seconds(5), sender });
    const ids = [await postRecovery(store, { to: account('ada'), at: clock.now() })];
    ahead.wake();
    await eventually(() => expect(tried).toEqual(ids));
    const starting = runOutbox({ store, now: clock.now, sender });
    ids.push(await postRecovery(store, { to: account('eve'), at: clock.now() }));
    starting.wake();
    await eventually(() => expect(tried.length).toBeGreaterThan(1));
    finish();
    expect(tried).toEqual(ids);
  });
});

it('once an email has found the mail server down, the next one does not probe it again', async () => {
  const [store, { now }] = [await freshStore('sqlite'), testClock()];
  const fails: (() => void)[] = [];
  let looks = 0;
  const { sender } = recordingSender(
    () => new Promise((_, reject) => fails.push(() => reject(new Error('connect ECONNREFUSED')))),
    async () => {
      looks += 1;
      throw new Error('connect ECONNREFUSED');
    },
  );
  const ids = [
    await postRecovery(store, { to: account('ada'), at: now() }),
    await postRecovery(store, { to: account('eve'), at: now() }),
  ];
  const outbox = runOutbox({ store, now, sender });
  await eventually(() => expect(fails).toHaveLength(2));
  for (const [at, fail] of fails.entries()) {
    fail();
    await eventually(async () => {
      const rows = await Promise.all(ids.map((id) => emailOf(store, id)));
      expect(rows.filter(({ leased_until }) => leased_until === 0)).toHaveLength(at + 1);
    });
  }
  expect((await outbox.counts()).lastError).toBe('connect ECONNREFUSED');
  expect(looks).toBe(1);
});
