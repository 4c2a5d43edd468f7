import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import { seconds } from '../contract/units.ts';

const run = promisify(execFile);

/**
 * Tells systemd that the service is ready (sd_notify(3), `Type=notify`), if systemd asks. Node cannot send to its socket,
 * so systemd's own program does.
 */
export async function notifyServiceManager(log: FastifyBaseLogger): Promise<void> {
  if (!process.env.NOTIFY_SOCKET) return;
  await run('systemd-notify', ['--ready'], { timeout: seconds(10) }).catch((error: Error) => {
    log.warn({ error: error.message }, 'systemd-notify failed: systemd does not learn that the service is ready');
  });
}
