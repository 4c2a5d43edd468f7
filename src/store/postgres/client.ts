import pg from 'pg';
import { isStalePlan, retry } from '../retry.ts';

/** What the connections of a pool share. */
export interface Shared {
  /** Names of prepared statements by their text: each connection prepares one when it first meets it. */
  names: Map<string, string>;
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

  override query(...given: unknown[]): never {
    const [text, values = []] = given as [string, unknown[] | undefined];
    // A statement on its own may be made anew; in a transaction that is for the whole of it to do.
    const isAlone = () => this.getTransactionStatus() === 'I';
    return retry(() => this.#ask(text, values), isAlone) as never;
  }

  async #ask(text: string, values: unknown[]): Promise<unknown> {
    const left = Math.ceil(this.deadline - performance.now());
    // However late it is: the next caller must not find this one's transaction still open.
    const waits = text === 'rollback' ? Math.max(left, rollbackTakes) : left;
    if (waits <= 0) throw outOfTime();
    const timer = Number.isFinite(waits) ? setTimeout(() => this.#giveUp(waits), waits) : undefined;
    try {
      const answer = await super.query({
        text,
        values,
        // Without values, such as `begin`, one message is quicker than a prepared statement.
        ...(values.length > 0 && { name: nameOf(this.shared, text) }),
      } as pg.QueryConfig);
      this.shared.heard();
      return answer;
    } catch (error) {
      this.#consider(error as Error & { code?: string });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection: a transaction may be open in it, which would swallow the statements of the next caller. */
  #giveUp(waited: number): void {
    this.shared.silent(waited);
    this.connection.stream.destroy(connectionLost('the database said nothing in time'));
  }

  #consider(error: Error & { code?: string }): void {
    if (this.connection.stream.destroyed) error.code ??= lostConnection;
    else if (error.code) this.shared.heard();
    if (isStalePlan(error)) this.shared.names = new Map();
  }
}

/** SQLSTATE of a connection that broke or never came to be; node-postgres says it in words without a code. */
export const lostConnection = '08006';

export const connectionLost = (message: string) => Object.assign(new Error(message), { code: lostConnection });

/** SQLSTATE 57014, as the server says itself when a statement takes too long. */
export const outOfTime = () =>
  Object.assign(new Error('the database took longer than the request may'), { code: '57014' });
