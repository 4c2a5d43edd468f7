import pg from 'pg';
import { isStalePlan, retryOnConflict } from '../retry-on-conflict.ts';
import { cancelStatement, isCancellable } from './cancel.ts';
import { serverLimitComesEarlier } from './transaction-limits.ts';

/** What the connections of a pool share. */
export interface Shared {
  /** Names of prepared statements by their text: each connection prepares one when it first meets it. */
  names: Map<string, string>;
  /** What begins a transaction, with its limits. */
  readonly begin: string;
  /** Statements outside of transactions are wrapped in one that changes nothing. */
  readonly readOnly: boolean;
  /** The server answered, as it always does, be it to say that a statement took too long. */
  heard(): void;
  /** It said nothing at all in `waited` milliseconds. */
  silent(waited: number): void;
}

const namesKept = 500;
/** Milliseconds that undoing may take. */
const rollbackTakes = 500;
let namesGiven = 0;

function nameOf(shared: Shared, text: string): string {
  const known = shared.names.get(text);
  if (known) return known;
  if (shared.names.size >= namesKept) shared.names = new Map();
  namesGiven += 1;
  const name = `s${namesGiven}`;
  shared.names.set(text, name);
  return name;
}

/** Makes a pool's connections: they prepare what they are asked, wait no longer than their caller, and go when given up. */
export function clientsOf(shared: Shared): typeof BoundedClient {
  return class extends BoundedClient {
    protected override readonly shared = shared;
  };
}

/** A connection whose callers have little time. */
export abstract class BoundedClient extends pg.Client {
  protected abstract readonly shared: Shared;
  /** How long its caller waits: until this `performance.now()`. */
  deadline = Number.POSITIVE_INFINITY;
  /** Its caller gave up while the server was still at work: nothing more is sent on it. */
  isAbandoned = false;

  override query(...given: unknown[]): never {
    const [text, values = []] = given as [string, unknown[] | undefined];
    // A statement on its own may be made anew; in a transaction that is for the whole of it to do.
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
    // However late it is: the next caller must not find this one's transaction still open.
    const waits = text === 'rollback' ? Math.max(left, rollbackTakes) : left;
    if (waits <= 0) throw outOfTime();
    const began = performance.now();
    const cancelling = this.#cancelAfter(waits - serverLimitComesEarlier, text);
    try {
      const answer = await super.query({
        text: text === 'begin' ? this.shared.begin : text,
        values,
        // Without values, such as `begin`, one message is quicker than a prepared statement.
        ...(values.length > 0 && { name: nameOf(this.shared, text) }),
        ...(Number.isFinite(waits) && { query_timeout: waits }),
      } as pg.QueryConfig);
      this.shared.heard();
      return answer;
    } catch (error) {
      this.#consider(error as Error & { code?: string }, { waits, waited: performance.now() - began });
      throw error;
    } finally {
      await cancelling.over();
    }
  }

  /** Outside of a transaction no limit of the server's holds; what has been sent is over before anything else is. */
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
      this.shared.heard();
      return;
    }
    const isLost = this.connection.stream.destroyed;
    // The only other failure without a code that takes this long: node-postgres stops waiting (`query_timeout`).
    const isSilent = !isLost && waited >= waits - 1;
    if (isLost || isSilent) error.code = lostConnection;
    if (!isSilent) return;
    this.shared.silent(waits);
    // node-postgres would continue to use a connection in which a transaction may still be open: later statements would
    // be acknowledged and never committed.
    this.isAbandoned = true;
  }
}

/** SQLSTATE of a connection that broke or was never established; node-postgres gives no code for it. */
export const lostConnection = '08006';

export const connectionLost = (message: string) => Object.assign(new Error(message), { code: lostConnection });

/** SQLSTATE 57014, as the server says itself when a statement takes too long. */
export const outOfTime = () =>
  Object.assign(new Error('the database took longer than the request may'), { code: '57014' });
