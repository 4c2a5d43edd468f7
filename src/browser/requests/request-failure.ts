import {
  type EndReason,
  type FailureCode,
  type FieldFailure,
  failures,
  type Problem,
} from '../../contract/failures.ts';
import type { MessageId } from '../../messages/ids.ts';

/** A request that was not answered with success. */
export class RequestFailure extends Error {
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  /** `unknown`: an answer that is not one of ours, such as a gateway's. */
  readonly code: FailureCode | 'no_answer' | 'unknown';
  readonly fields: readonly FieldFailure[];
  /** Whole minutes until the same request may succeed. */
  readonly minutes: number | undefined;
  /** Tries that a call's digits still have. */
  readonly attemptsLeft: number | undefined;
  readonly reason: EndReason | undefined;

  constructor(status: number | undefined, problem: Partial<Problem> = {}) {
    const { code, fields = [], minutes, attempts_left, reason } = problem;
    const known = code !== undefined && Object.hasOwn(failures, code) ? code : undefined;
    super(known ?? String(status ?? 'no answer'));
    this.name = 'RequestFailure';
    this.status = status;
    this.code = known ?? (status === undefined ? 'no_answer' : 'unknown');
    this.fields = fields;
    this.minutes = minutes;
    this.attemptsLeft = attempts_left;
    this.reason = reason;
  }

  /** What to tell the person (specification, section 8): spread it into `<Text>`. */
  get text(): { id: MessageId; values: Record<string, number> } {
    const minutes = this.minutes ?? 1;
    // A day in minutes tells nobody anything.
    const hours = minutes > 90 ? Math.ceil(minutes / 60) : 0;
    const values = { minutes, hours, attempts: this.attemptsLeft ?? 1 };
    if (this.code !== 'unknown') return { id: `failure.${this.code}`, values };
    if (this.status === 404) return { id: 'failure.not_found', values };
    if (this.status === 500) return { id: 'failure.server_error', values };
    return { id: 'failure.unknown', values };
  }
}

/** Whether a request ended because whoever sent it gave it up. */
export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
