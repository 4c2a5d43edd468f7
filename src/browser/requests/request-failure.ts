import type { ConfirmationWay } from '../../contract/call-ways.ts';
import type { EndReason, FailureCode, FieldFailure, Problem, ProgramFailureCode } from '../../contract/failures.ts';
import type { MessageId } from '../../messages/ids.ts';

/** `cookies_blocked`: the browser keeps none, so nothing that changes something can be asked for. */
type RefusalCode = Exclude<FailureCode, ProgramFailureCode> | 'cookies_blocked';

type Refusal = Partial<Omit<Problem, 'code'>> & { code?: RefusalCode };

/** A problem document of ours; anything else says nothing that we know, such as a gateway's. */
export const readRefusal = (answer: Partial<Problem> | undefined): Refusal =>
  answer?.code && answer.type === `urn:vestibule:${answer.code}` ? (answer as Refusal) : {};

/** A request that was not answered with success. */
export class RequestFailure extends Error {
  /** Undefined when there was no answer. */
  declare readonly status: number | undefined;
  /** `unknown`: an answer that is not one of ours, such as a gateway's. */
  declare readonly code: RefusalCode | 'no_answer' | 'unknown';
  declare readonly fields: readonly FieldFailure[];
  /** Whole minutes until the same request may succeed. */
  declare readonly minutes: number | undefined;
  /** The same to the second, in milliseconds. */
  declare readonly wait: number | undefined;
  /** Tries that a call's digits still have. */
  declare readonly attemptsLeft: number | undefined;
  declare readonly reason: EndReason | undefined;
  /** In which ways a number can be confirmed at once instead. */
  declare readonly ways: readonly ConfirmationWay[] | undefined;

  constructor(status: number | undefined, problem: Refusal = {}, wait?: number) {
    const code = problem.code ?? (status === undefined ? 'no_answer' : 'unknown');
    super(`${code} ${status}`);
    Object.assign(this, { fields: [] }, problem, { status, code, wait, attemptsLeft: problem.attempts_left });
  }

  /** What to tell the person (specification, section 8): spread it into `<Text>`. */
  get text(): { id: MessageId; values: Record<string, number> } {
    const minutes = this.minutes ?? 1;
    // A day in minutes tells nobody anything.
    const hours = minutes > 90 ? Math.ceil(minutes / 60) : 0;
    return { id: this.#message(), values: { minutes, hours, attempts: this.attemptsLeft ?? 1 } };
  }

  #message(): MessageId {
    if (this.code === 'no_answer') return 'failure.no_answer';
    if (this.code === 'cookies_blocked') return 'failure.cookies_blocked';
    // What is left to do is the same: ask for another.
    if (this.code === 'code_incorrect' && this.attemptsLeft === 0) return 'failure.code_expired';
    if (this.code !== 'unknown') return `failure.${this.code}`;
    if (this.status === 404) return 'failure.not_found';
    return this.status === 500 ? 'failure.server_error' : 'failure.unknown';
  }
}

/** Whether code that a request needs could not be fetched: each browser has words of its own for that, all with “import”. */
export const isUnloaded = (error: unknown): boolean => error instanceof TypeError && /import/i.test(error.message);

/** Whether a request ended because whoever sent it gave it up. */
export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
