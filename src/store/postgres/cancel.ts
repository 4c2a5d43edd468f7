import { once } from 'node:events';
import { connect } from 'node:net';
import type pg from 'pg';
import { seconds } from '../../contract/durations.ts';

/** PostgreSQL's protocol, section 55.2.9: length, request code, process and its secret. */
const cancelRequestCode = 80_877_102;
const cancelRequestLength = 16;
/** A server that has not read the request by then does not respond. */
const longest = seconds(1);

/** The keys of a connection; node-postgres has them, but its types do not. */
interface Keys {
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/**
 * Whether a statement may be cancelled without harm. If we cancelled a commit that waits for a synchronous standby, it
 * would become visible without being on the standby, so only statements that write nothing qualify.
 */
export const isCancellable = (statement: string): boolean =>
  /^\s*select\b/i.test(statement) && !/\bfor\s+(?:no\s+key\s+)?(?:update|share)\b/i.test(statement);

/**
 * Cancels a statement over a separate connection. Resolves once the server has read the request, or after a timeout.
 */
export async function cancelStatement(client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as unknown as Keys;
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(cancelRequestLength);
  request.writeInt32BE(cancelRequestLength, 0);
  request.writeInt32BE(cancelRequestCode, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const { host, port } = client;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(longest, () => socket.destroy());
  const closed = once(socket, 'close');
  socket.end(request);
  socket.resume();
  await closed;
}
