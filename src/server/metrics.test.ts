import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openFairGate } from '../access/fair-gate.ts';
import { hours } from '../contract/units.ts';
import { openSourcesSeen } from '../http/incoming/visitor.ts';
import { openMetrics } from '../http/telemetry/metrics.ts';
import { SendingBlocked } from '../outbox/compose.ts';
import { openKeyEncryption } from '../security/macs.ts';
import { freshStore } from '../testing/databases/databases.ts';
import { account, eventually, postRecovery, recordingSender, runOutbox, testClock } from '../testing/outbox.ts';
import { startWebhooks } from '../webhooks/webhook-worker.ts';
import { serveMetrics } from './metrics.ts';

async function open() {
  const server = { isDown: false };
  const [store, clock] = [await freshStore('sqlite'), testClock()];
  const { sender } = recordingSender(
    ({ to }) => {
      if (to.startsWith('eve')) throw new Error('451 come back later');
      if (to.startsWith('bob')) throw new SendingBlocked('554 5.7.1 relay access denied');
    },
    async () => {
      if (server.isDown) throw new Error('connect ECONNREFUSED');
      return 'well';
    },
  );
  const outbox = runOutbox({ store, now: clock.now, sender });
  const sources = openSourcesSeen({ PUBLIC_URL: 'https://door.example' });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const webhooks = startWebhooks({ store, now: clock.now, log, secrets: openKeyEncryption(undefined) }, []);
  const jobs = { cleanedUpAt: () => clock.now() - hours(4), backedUpAt: () => undefined };
  const watched = {
    ...{ store, now: clock.now, outbox, webhooks, sources, jobs, logouts: { count: () => 0 } },
    ...{ gate: openFairGate(), metrics: openMetrics([]) },
    config: { DATA_DIR: tmpdir(), BACKUP_DIR: join(tmpdir(), 'missing'), PUBLIC_URL: 'http://localhost' },
  };
  const metrics = await serveMetrics({ ...watched, port: 0 });
  onTestFinished(metrics.close);
  const ask = (path = '/metrics') => fetch(`http://127.0.0.1:${metrics.port}${path}`);
  return { ...watched, clock, ask, server, port: metrics.port };
}

it('reports queued, sent and failed emails, and the age of the queue', async () => {
  const { store, clock, outbox, ask } = await open();
  for (const name of ['ada', 'eve', 'bob']) await postRecovery(store, { to: account(name), at: clock.now() });
  outbox.wake();
  await eventually(async () => expect(await outbox.counts()).toMatchObject({ queued: 2, sent: 1, refused: 1 }));
  clock.pass(1500);
  await ask();
  const response = await ask();
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text())
    .split('\n')
    .filter((line) => /^vestibule_(outbox|mail_server|visitors)/.test(line));
  expect(lines).toEqual([
    'vestibule_outbox_queued 2',
    'vestibule_outbox_oldest_seconds 1.5',
    'vestibule_mail_server_up 1',
    'vestibule_outbox_sent_total 1',
    'vestibule_outbox_failed_total 0',
    'vestibule_outbox_held_back_total 0',
    'vestibule_outbox_refused_total 1',
    'vestibule_visitors_from_one_address 0',
  ]);
});

it('reports when the last clean-up ended, so that one that falls behind causes an alert', async () => {
  const { clock, ask } = await open();
  const [, at] = /^vestibule_clean_up_timestamp_seconds (\d+)$/m.exec(await (await ask()).text()) ?? [];
  expect(Number(at) * 1000).toBe(clock.now() - hours(4));
});

it('reports that the mail server is down', async () => {
  const { store, clock, outbox, server, ask } = await open();
  server.isDown = true;
  await postRecovery(store, { to: account('eve'), at: clock.now() });
  outbox.wake();
  await eventually(async () => expect((await outbox.counts()).lastError).toBeDefined());
  expect(await (await ask()).text()).toMatch(/^vestibule_mail_server_up 0$/m);
});

it('reports that all visitors come from one address, until another address appears', async () => {
  const { sources, ask } = await open();
  for (let requests = 0; requests < 100; requests += 1) sources.see('127.0.0.1');
  expect(await (await ask()).text()).toMatch(/^vestibule_visitors_from_one_address 1$/m);
  sources.see('203.0.113.7');
  expect(await (await ask()).text()).toMatch(/^vestibule_visitors_from_one_address 0$/m);
});

it('reports that the database does not respond, keeps serving other metrics, and responds with 404 to other paths', async () => {
  const { store, outbox, ask } = await open();
  expect((await ask('/')).status).toBe(404);
  await outbox.stop();
  await store.destroy();
  const metrics = await (await ask()).text();
  expect(metrics).toMatch(/^vestibule_database_up 0$/m);
  expect(metrics).toMatch(/^vestibule_gate_inside 0$/m);
  expect(metrics).not.toMatch(/^vestibule_outbox_queued /m);
});

it('reports that the database rejects writes, as on a full disk, and still serves values that it can read', async () => {
  const { store, ask } = await open();
  expect(await (await ask()).text()).toMatch(/^vestibule_database_up 1$/m);
  await sql`pragma query_only = on`.execute(store);
  const metrics = await (await ask()).text();
  expect(metrics).toMatch(/^vestibule_database_up 0$/m);
  expect(metrics).toMatch(/^vestibule_outbox_queued 0$/m);
});

it('names the setting if its port is in use', async () => {
  const { port, ...watched } = await open();
  await expect(serveMetrics({ ...watched, metrics: openMetrics([]), port })).rejects.toThrow(
    /^METRICS_PORT: another process already listens at 127\.0\.0\.1:\d+$/,
  );
});

it('reports the free space of the data, and leaves out a folder that is missing', async () => {
  const { ask } = await open();
  const lines = (await (await ask()).text()).split('\n').filter((line) => line.startsWith('vestibule_disk_free_bytes'));
  expect(lines).toEqual([expect.stringMatching(/^vestibule_disk_free_bytes\{setting="DATA_DIR"\} [1-9]\d*$/)]);
});
