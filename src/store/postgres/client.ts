import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { seconds } from '../../contract/units.ts';
import { isStalePlan, retryOnConflict } from '../retry-on-conflict.ts';

interface Shared {
  /** Names of prepared statements by their text; each connection prepares a statement at its first use. */
  names: Map<string, string>;
  /** The statements that begin a transaction and set its limits. */
  readonly begin: string;
  /** Wraps statements outside of transactions in a read-only one. */
  readonly readOnly: boolean;
  /** The server responded, even if only to report that a statement took too long. */
  heard(): void;
  /** The server did not respond within `waited` milliseconds. */
  silent(waited: number): void;
}

/** Milliseconds in which a connection must be established, even for callers that wait longer, such as a migration. */
const connectsWithin = seconds(10);
const namesKept = 500;
/** Milliseconds that a rollback may take. */
const rollbackTakes = 500;
/** A pooler may show us the statements of another process: ours must never run one of those instead. */
const ownPrefix = randomBytes(6).toString('hex');
let namesGiven = 0;

function nameOf(shared: Shared, text: string): string {
  const known = shared.names.get(text);
  if (known) return known;
  if (shared.names.size >= namesKept) shared.names = new Map();
  namesGiven += 1;
  const name = `s${ownPrefix}_${namesGiven}`;
  shared.names.set(text, name);
  return name;
}

/** The class of a pool's connections: they prepare statements and respect their caller's deadline. */
export function clientsOf(shared: Shared): typeof BoundedClient {
  return class extends BoundedClient {
    protected override readonly shared = shared;
  };
}

/** A connection whose callers have a deadline. */
export abstract class BoundedClient extends pg.Client {
  constructor({ connectionTimeoutMillis = 0, ...config }: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: Math.min(connectionTimeoutMillis || connectsWithin, connectsWithin) });
  }
  protected abstract readonly shared: Shared;
  /** Until when its caller waits (`performance.now()`). */
  deadline = Number.POSITIVE_INFINITY;
  /** Its caller gave up while the server was still busy: do not send anything else on it. */
  isAbandoned = false;
  /** The server ended the connection, perhaps between two statements, when no statement is there to fail. */
  isBroken = false;
  /** It refused a write. A session keeps `default_transaction_read_only` as it was when it began, so only a new one may write. */
  isReadOnly = false;

  override query(...given: unknown[]): never {
    const [text, values = []] = given as [string, unknown[] | undefined];
    // A statement outside a transaction may be repeated; otherwise only the whole transaction may be.
    const isAlone = () => this.getTransactionStatus() === 'I';
    const ask = () =>
      this.shared.readOnly && isAlone() && text !== 'begin' ? this.#askReadOnly(text, values) : this.#ask(text, values);
    return retryOnConflict(ask, isAlone) as never;
  }

  async #askReadOnly(text: string, values: unknown[]): Promise<unknown> {
    await this.#ask('begin', []);
    try {
      return await this.#ask(text, values);
    } finally {
      await this.#ask('rollback', []);
    }
  }

  async #ask(text: string, values: unknown[]): Promise<unknown> {
    if (this.isAbandoned) throw outOfTime();
    const left = Math.ceil(this.deadline - performance.now());
    // Even past the deadline: the next caller must not get a connection with this transaction still open.
    const waits = text === 'rollback' ? Math.max(left, rollbackTakes) : left;
    if (waits <= 0) throw outOfTime();
    const began = performance.now();
    const canceling = this.#cancelAfter(waits - serverLimitComesEarlier, text);
    try {
      const response = await super.query({
        text: text === 'begin' ? this.shared.begin : text,
        values,
        // Without values, such as for `begin`, a simple query is quicker than a prepared statement.
        ...(values.length > 0 && { name: nameOf(this.shared, text) }),
        ...(Number.isFinite(waits) && { query_timeout: waits }),
      } as pg.QueryConfig);
      this.shared.heard();
      return response;
    } catch (error) {
      this.#consider(error as Error & { code?: string }, { waits, waited: performance.now() - began });
      throw error;
    } finally {
      await canceling.over();
    }
  }

  /** The server's limits only apply in transactions. `over` waits until a cancellation that was sent is done. */
  #cancelAfter(milliseconds: number, text: string): { over(): Promise<void> | undefined } {
    let sent: Promise<void> | undefined;
    if (
      !Number.isFinite(milliseconds) ||
      milliseconds <= 0 ||
      this.getTransactionStatus() !== 'I' ||
      !isCancellable(text)
    )
      return { over: () => undefined };
    const timer = setTimeout(() => {
      sent = cancelStatement(this);
    }, milliseconds);
    return {
      over: () => {
        clearTimeout(timer);
        return this.isAbandoned ? undefined : sent;
      },
    };
  }

  #consider(error: Error & { code?: string }, { waits, waited }: { waits: number; waited: number }): void {
    if (isStalePlan(error)) this.shared.names = new Map();
    if (error.code) {
      if (error.code === readOnlySession) this.isReadOnly = true;
      this.shared.heard();
      return;
    }
    const isLost = this.isBroken || this.connection.stream.destroyed;
    // The only other error without a code after such a time: node-postgres stops waiting (`query_timeout`).
    const isSilent = !isLost && waited >= waits - 1;
    if (isLost || isSilent) error.code = lostConnection;
    if (!isSilent) return;
    this.shared.silent(waits);
    // node-postgres would continue to use a connection in which a transaction may still be open: later statements would
    // be acknowledged and never committed.
    this.isAbandoned = true;
  }
}

/** SQLSTATE of a write in a read-only transaction. */
const readOnlySession = '25006';

/** SQLSTATE of a connection that broke or was never established; node-postgres gives no code for it. */
export const lostConnection = '08006';

export const connectionLost = (message: string) => Object.assign(new Error(message), { code: lostConnection });

/** SQLSTATE 57014, which the server also returns if a statement takes too long. */
export const outOfTime = () =>
  Object.assign(new Error('the database took longer than the time limit of the request'), { code: '57014' });

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
 * Whether a statement may be canceled without harm. If we canceled a commit that waits for a synchronous standby, it
 * would become visible without being on the standby, so only statements that write nothing qualify.
 */
const isCancellable = (statement: string): boolean =>
  /^\s*select\b/i.test(statement) && !/\bfor\s+(?:no\s+key\s+)?(?:update|share)\b/i.test(statement);

/**
 * Cancels a statement over a separate connection. Resolves once the server has read the request, or after a timeout.
 */
async function cancelStatement(client: pg.Client): Promise<void> {
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

/** node-postgres treats these modes as `verify-full`, but prints a block of warnings unless the URL says so. */
export const withCheckedCertificate = (url: string): string =>
  url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');

/**
 * How much earlier (ms) the server's limit is, so that a connection survives a statement that is only slow. The limit
 * is still later than the second after which the server detects a deadlock.
 */
export const serverLimitComesEarlier = 400;

const idleInTransaction = seconds(5);

interface Limits {
  /** Milliseconds for one statement; may be infinite. */
  readonly timeBudget: number;
  readonly readOnly: boolean;
}

/**
 * The first message of a transaction. Its limits end with the transaction: behind PgBouncer in transaction mode,
 * settings of a session would stay on a connection that other clients use next.
 */
export function beginning({ timeBudget, readOnly }: Limits): string {
  const isBounded = Number.isFinite(timeBudget);
  return [
    // Our transactions rely on this level. A role may have a higher default, whose snapshot `create index concurrently` in
    // a migration would wait for forever.
    readOnly ? 'begin isolation level read committed read only' : 'begin isolation level read committed',
    `set local statement_timeout = ${isBounded ? timeBudget - serverLimitComesEarlier : 0}`,
    `set local idle_in_transaction_session_timeout = ${isBounded ? idleInTransaction : 0}`,
  ].join('; ');
}
