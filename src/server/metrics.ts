import { createServer, type Server } from 'node:http';
import { Counter, Gauge, Registry } from 'prom-client';
import { seconds } from '../contract/durations.ts';
import { SettingsError } from '../contract/settings-error.ts';
import type { SourcesSeen } from '../http/sources-seen.ts';
import type { Outbox, OutboxCounts } from '../outbox/deliver.ts';

interface Metrics {
  readonly outbox: Pick<Outbox, 'counts'>;
  readonly sources: Pick<SourcesSeen, 'only'>;
  /** Of this machine only: what is told here is nobody else's business. 0 takes a free one. */
  readonly port: number;
}

/** Serves `/metrics` to a Prometheus on this machine; 503 while the database does not answer. */
export async function serveMetrics({
  outbox,
  sources,
  port,
}: Metrics): Promise<{ port: number; close(): Promise<void> }> {
  const { registry, write } = openRegistry();
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return response.writeHead(404).end();
    const counts = await outbox.counts().catch(() => undefined);
    if (!counts) return response.writeHead(503).end();
    write(counts, sources.only() !== undefined);
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

function openRegistry() {
  const registry = new Registry();
  const registers = [registry];
  const queued = new Gauge({
    name: 'vestibule_outbox_queued',
    help: 'Mails still to be sent, of every node.',
    registers,
  });
  const oldest = new Gauge({
    name: 'vestibule_outbox_oldest_seconds',
    help: 'Age of the oldest of them; 0 when there is none.',
    registers,
  });
  const sent = new Counter({ name: 'vestibule_outbox_sent_total', help: 'Mails sent by this process.', registers });
  const failed = new Counter({
    name: 'vestibule_outbox_failed_total',
    help: 'Mails given up by this process.',
    registers,
  });
  const refused = new Counter({
    name: 'vestibule_outbox_refused_total',
    help: 'Tries of this process that a mail server refused until somebody mends something.',
    registers,
  });
  const up = new Gauge({
    name: 'vestibule_mail_server_up',
    help: '1 while the mail server takes mails from this process, as far as it knows.',
    registers,
  });
  const oneAddress = new Gauge({
    name: 'vestibule_visitors_from_one_address',
    help: '1 when every visitor seems to come from one address: the proxy does not say for whom it asks.',
    registers,
  });
  const write = (counts: OutboxCounts, isOneAddress: boolean) => {
    oneAddress.set(isOneAddress ? 1 : 0);
    up.set(counts.fault === undefined ? 1 : 0);
    queued.set(counts.queued);
    oldest.set(counts.oldest / seconds(1));
    // The outbox counts by itself, so each look begins anew.
    sent.reset();
    sent.inc(counts.sent);
    failed.reset();
    failed.inc(counts.failed);
    refused.reset();
    refused.inc(counts.refused);
  };
  return { registry, write };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new SettingsError(`METRICS_PORT: ${cause.message}`, { cause })));
    server.listen(port, '127.0.0.1', () => resolve());
  });
