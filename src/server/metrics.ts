import { statfsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { FairGate } from '../access/fair-gate.ts';
import { SettingsError } from '../contract/settings.ts';
import { seconds } from '../contract/units.ts';
import type { SourcesSeen } from '../http/incoming/visitor.ts';
import { whyUnwritable } from '../http/service/service.ts';
import type { Metrics } from '../http/telemetry/metrics.ts';
import type { Outbox, OutboxCounts } from '../outbox/delivery/outbox-worker.ts';
import { connectionsOf, outdatedPrimariesOf, type Store } from '../store/database.ts';
import type { WebhookCounts, Webhooks } from '../webhooks/webhook-worker.ts';
import { watchCertificate } from './doctor/certificate.ts';
import type { RegularJobs } from './regular-jobs.ts';
import type { Service } from './service.ts';
import type { Config } from './settings/config.ts';
import { readVersion } from './version.ts';

interface GaugeSources {
  readonly config: Pick<Config, 'DATA_DIR' | 'BACKUP_DIR' | 'PUBLIC_URL'>;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly outbox: Pick<Outbox, 'counts'>;
  readonly webhooks: Pick<Webhooks, 'counts'>;
  readonly logouts: Service['logouts'];
  readonly sources: Pick<SourcesSeen, 'only'>;
  readonly gate: Pick<FairGate, 'state'>;
  readonly store: Store;
  now(): number;
  readonly jobs: Pick<RegularJobs, 'cleanedUpAt' | 'backedUpAt'>;
}

/** What a scrape finds. Counts are undefined while the database is down: the last known values would look healthy. */
interface Scrape extends GaugeSources {
  readonly emails: OutboxCounts | undefined;
  readonly events: WebhookCounts | undefined;
  readonly turns: ReturnType<FairGate['state']>;
  readonly takesChanges: boolean;
  readonly certificateEndsAt: number | undefined;
}

/** One value, or one for each value of a label. */
type Value = number | Readonly<Record<string, number>> | undefined;
type Row = readonly [name: string, help: string, value: (scrape: Scrape) => Value, by?: string];

/** Milliseconds as the seconds that Prometheus expects. */
const inSeconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? undefined : milliseconds / seconds(1);

/** Those that end in `_total` are counters, whose totals are kept elsewhere; the others are gauges. */
// biome-ignore format: a table
const rows: readonly Row[] = [
  ['database_up', '1 while the database responds and accepts writes.', ({ emails, takesChanges }) => (emails && takesChanges ? 1 : 0)],
  ['database_connections', 'Connections to PostgreSQL.', ({ store }) => ({ ...connectionsOf(store) }), 'state'],
  ['database_outdated_primaries', 'PostgreSQL servers that accept writes although another one was promoted after them.', ({ store }) => outdatedPrimariesOf(store).length],
  ['disk_free_bytes', 'Free space for the files of a setting.', ({ config }) => freeSpace(config), 'setting'],
  ['certificate_expires_timestamp_seconds', 'When the certificate of PUBLIC_URL ends, if this machine reaches that address.', ({ certificateEndsAt }) => inSeconds(certificateEndsAt)],
  ['clean_up_timestamp_seconds', 'When this process last deleted all outdated rows; at first, when it started.', ({ jobs }) => inSeconds(jobs.cleanedUpAt())],
  ['outbox_queued', 'Emails waiting in the outbox, for all nodes together.', ({ emails }) => emails?.queued],
  ['outbox_oldest_seconds', 'Age of the oldest queued email; 0 if the outbox is empty.', ({ emails }) => inSeconds(emails?.oldest)],
  ['mail_server_up', '1 while the mail server accepts emails from this process, as far as it knows.', ({ emails }) => emails && (emails.lastError === undefined ? 1 : 0)],
  ['outbox_sent_total', 'Emails sent by this process.', ({ emails }) => emails?.sent],
  ['outbox_failed_total', 'Emails given up by this process.', ({ emails }) => emails?.failed],
  ['outbox_held_back_total', 'Emails that this process did not send, because their addresses are suppressed.', ({ emails }) => emails?.withheld],
  ['outbox_refused_total', 'Attempts of this process that the mail server refused until an operator corrects something.', ({ emails }) => emails?.refused],
  ['webhooks_queued', 'Webhooks that wait, for all nodes together.', ({ events }) => events?.queued],
  ['webhooks_oldest_seconds', 'Age of the oldest webhook that waits; 0 if none does.', ({ events }) => inSeconds(events?.oldest)],
  ['webhooks_disabled_receivers', 'Receivers that are disabled because they responded 410 Gone.', ({ events }) => events?.disabled],
  ['webhooks_delivered_total', 'Webhooks delivered by this process.', ({ events }) => events?.delivered],
  ['webhooks_failed_total', 'Failed attempts of this process.', ({ events }) => events?.failed],
  ['webhooks_given_up_total', 'Webhooks given up by this process.', ({ events }) => events?.gaveUp],
  ['logout_notices_given_up_total', 'Notices of sign-outs that this process gave up.', ({ logouts }) => logouts.count('gaveUp')],
  ['visitors_from_one_address', '1 if all visitors seem to come from one address: the proxy does not pass on their addresses.', ({ sources }) => (sources.only() === undefined ? 0 : 1)],
  ['gate_inside', 'Requests with a turn at the gate, such as sign-ins.', ({ turns }) => turns.inside],
  ['gate_waiting', 'Requests that wait for a turn at the gate.', ({ turns }) => ({ ...turns.waiting }), 'lane'],
  ['gate_admitted_total', 'Requests that got a turn at the gate.', ({ turns }) => turns.admitted],
  ['gate_refused_total', 'Requests that the gate refused.', ({ turns }) => turns.refused],
  ['gate_waited_seconds_total', 'Time that admitted requests waited for their turn.', ({ turns }) => inSeconds(turns.waited)],
  ['gate_worked_seconds_total', 'Time that admitted requests took.', ({ turns }) => inSeconds(turns.worked)],
];

function freeSpace({ DATA_DIR, BACKUP_DIR }: GaugeSources['config']): Record<string, number> {
  const folders = Object.entries({ DATA_DIR, ...(BACKUP_DIR && { BACKUP_DIR }) });
  const found = folders.flatMap(([setting, folder]) => {
    try {
      const { bavail, bsize, blocks } = statfsSync(folder);
      return blocks === 0 ? [] : [[setting, bavail * bsize] as const];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(found);
}

const backup: Row = [
  'backup_timestamp_seconds',
  'When the newest backup was made; 0 before the first one.',
  ({ jobs }) => inSeconds(jobs.backedUpAt() ?? 0),
];

/** Gauges and counters whose values live elsewhere. The returned function copies the current values at each scrape. */
function openGauges(from: GaugeSources): () => Promise<void> {
  const { metrics, outbox, webhooks, gate, store, now } = from;
  const writers = [...rows, ...(from.jobs.backedUpAt() !== undefined ? [backup] : [])].map((row) =>
    writerOf(metrics.registry, row),
  );
  const endOfCertificate = watchCertificate(from.config.PUBLIC_URL, now);
  return async () => {
    const [emails, takesChanges, events] = await Promise.all([
      outbox.counts().catch(() => undefined),
      whyUnwritable(store, now()).then((refusal) => refusal === undefined),
      webhooks.counts().catch(() => undefined),
    ]);
    const scrape = {
      ...from,
      ...{ emails, takesChanges, events, turns: gate.state(), certificateEndsAt: endOfCertificate() },
    };
    for (const write of writers) write(scrape);
  };
}

function writerOf(registry: Registry, [name, help, value, by]: Row): (scrape: Scrape) => void {
  const described = { name: `vestibule_${name}`, help, labelNames: by ? [by] : [], registers: [registry] };
  if (name.endsWith('_total')) {
    const counter = new Counter(described);
    return (scrape) => {
      const total = value(scrape);
      if (typeof total !== 'number') return;
      counter.reset();
      counter.inc(total);
    };
  }
  const gauge = new Gauge(described);
  return (scrape) => {
    const found = value(scrape);
    if (found === undefined) gauge.remove();
    else if (typeof found === 'number') gauge.set(found);
    else for (const [label, count] of Object.entries(found)) gauge.set({ [by ?? '']: label }, count);
  };
}

interface MetricsServerOptions extends GaugeSources {
  /** Listens on loopback only, because metrics are internal. 0 takes a free port. */
  readonly port: number;
}

/** Serves `/metrics` to a Prometheus on this machine, even while the database does not respond. */
export async function serveMetrics({
  port,
  ...watched
}: MetricsServerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const { registry } = watched.metrics;
  collectDefaultMetrics({ register: registry });
  const version = readVersion();
  new Gauge({
    name: 'vestibule_build_info',
    help: '1, with the version, the commit and the build that run.',
    labelNames: Object.keys(version),
    registers: [registry],
  }).set({ ...version }, 1);
  const look = openGauges(watched);
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return response.writeHead(404).end();
    await look();
    return response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  });
  await listen(server, port);
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const says = cause.code === 'EADDRINUSE' ? `another process already listens at 127.0.0.1:${port}` : cause.message;
      reject(new SettingsError(`METRICS_PORT: ${says}`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => resolve());
  });
