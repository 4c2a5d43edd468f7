import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics } from 'prom-client';
import { SettingsError } from '../../contract/settings-error.ts';
import { type GaugeSources, openGauges } from './gauges.ts';

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
