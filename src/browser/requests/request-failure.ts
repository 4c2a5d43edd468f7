import type { EndReason, FailureCode, FieldFailure, Problem, ProgramFailureCode } from '../../contract/failures.ts';
import type { MessageId } from '../../messages/ids.ts';

/** `cookies_blocked`: the browser blocks cookies, so the server refuses every request that changes data. */
type RefusalCode = Exclude<FailureCode, ProgramFailureCode> | 'cookies_blocked';

type Refusal = Partial<Omit<Problem, 'code'>> & { code?: RefusalCode };

/** Reads our problem documents; any other body, such as a gateway's, becomes an empty refusal. */
export const readRefusal = (response: Partial<Problem> | undefined): Refusal =>
  response?.code && response.type === `urn:vestibule:${response.code}` ? (response as Refusal) : {};

/** What users read about a failure: a message of the catalogs, or instead an error's own message. Spread it into `<Text>`. */
export interface FailureText {
  readonly id: MessageId;
  readonly values: Record<string, number>;
  readonly instead?: string | undefined;
}

/** A failed request: a refusal, an error or no response. */
export class RequestFailure extends Error {
  /** Undefined if there was no response, 0 if an error prevented the request. */
  declare readonly status: number | undefined;
  /** `unknown`: a response that is not ours, such as a gateway's. */
  declare readonly code: RefusalCode | 'no_answer' | 'unknown';
  declare readonly fields: readonly FieldFailure[];
  /** Whole minutes until the same request may succeed. */
  declare readonly minutes: number | undefined;
  /** The same wait in milliseconds, to the second. */
  declare readonly wait: number | undefined;
  /** Attempts left for the digits of a call. */
  declare readonly attempts_left: number | undefined;
  declare readonly limit: number | undefined;
  /** During a flood: a task whose solution puts the request before others. */
  declare readonly task: string | undefined;
  /** The link of a refused request was used, or the account has changed since. */
  declare readonly used: true | undefined;
  declare readonly reason: EndReason | undefined;
  /** Methods that can continue: to confirm the number, to complete the sign-in, or for a step-up. */
  declare readonly ways: Problem['ways'] | undefined;
  /** A passkey that no account has. */
  declare readonly rp_id: string | undefined;
  declare readonly credential_id: string | undefined;

  /** By which an operator finds a server error in the log. */
  declare readonly reference: string | null | undefined;

  /** The message of an error without a response; undefined if it has none. */
  declare readonly ownMessage: string | undefined;

  constructor(
    status: number | undefined,
    problem: Refusal & { ownMessage?: string; reference?: string | null } = {},
    wait?: number,
  ) {
    const code = problem.code ?? (status === undefined ? 'no_answer' : 'unknown');
    super(`${code} ${status}`);
    Object.assign(this, { fields: [] }, problem, { status, code, wait });
  }

  /** The message for users (specification, section 8). */
  get text(): FailureText {
    const minutes = this.minutes ?? 1;
    // A long wait in minutes is hard to read.
    const hours = minutes > 90 ? Math.ceil(minutes / 60) : 0;
    const values = { minutes, hours, attempts: this.attempts_left ?? 1, limit: this.limit ?? 1 };
    return { id: this.#message(), values, ...(this.ownMessage && { instead: this.ownMessage }) };
  }

  #message(): MessageId {
    if (this.code === 'no_answer') return 'failure.no_answer';
    if (this.code === 'cookies_blocked') return 'failure.cookies_blocked';
    // After the last attempt the remedy is the same as after expiry: request another code.
    if (this.code === 'code_incorrect' && this.attempts_left === 0) return 'failure.code_expired';
    if (this.code !== 'unknown') return `failure.${this.code}`;
    if (this.status === 404) return 'failure.not_found';
    return this.status === 500 ? 'failure.server_error' : 'failure.unknown';
  }
}

/** Whether a dynamic import failed to load. Browsers word this error differently, but always mention “import”. */
export const isUnloaded = (error: unknown): boolean => error instanceof TypeError && /import/i.test(error.message);

/** Whether the sender aborted the request. */
export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
