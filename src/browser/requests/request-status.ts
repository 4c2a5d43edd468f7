import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { EndReason, FailureCode, FieldFailure, Problem, ProgramFailureCode } from '../../contract/failures.ts';
import { seconds } from '../../contract/units.ts';
import type { MessageId } from '../../messages/ids.ts';
import { reloadOnce } from '../platform/new-build.ts';
import { cell, useCell } from '../platform/storage.ts';
import { after } from '../platform/timers.ts';

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
const isUnloaded = (error: unknown): boolean => error instanceof TypeError && /import/i.test(error.message);

/** Whether the sender aborted the request. */
export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** The status of one request; every screen uses this record. */
export interface RequestStatus {
  /** Aborts the pending request. */
  readonly request: AbortController | undefined;
  /** When `state` last became pending, success or error: milliseconds since 1970. */
  readonly lastUpdate: number | undefined;
  readonly state: 'idle' | 'pending' | 'success' | 'error';
  readonly error: RequestFailure | undefined;
}

const idle: RequestStatus = { request: undefined, lastUpdate: undefined, state: 'idle', error: undefined };

type Send = (signal: AbortSignal) => Promise<unknown>;

/** Sends one request at a time and reports each status; a canceled request reports nothing more. */
export function followRequests(report: (status: RequestStatus) => void) {
  let current: AbortController | undefined;

  function cancel(): void {
    current?.abort();
    current = undefined;
    report(idle);
  }

  async function start(ask: Send, onError?: (failure: RequestFailure) => void): Promise<RequestFailure | undefined> {
    if (current) return undefined;
    const request = new AbortController();
    current = request;
    const pending = { request, lastUpdate: Date.now(), state: 'pending', error: undefined } as const;
    report(pending);
    const outcome = await outcomeOf(ask, request.signal);
    if (current !== request) return undefined;
    current = undefined;
    report(outcome);
    if (outcome.error) onError?.(outcome.error);
    return outcome.error;
  }

  return { start, cancel };
}

/** The outcome of a request; idle if it was aborted. */
async function outcomeOf(ask: Send, signal: AbortSignal): Promise<RequestStatus> {
  try {
    await ask(signal);
    return { request: undefined, lastUpdate: Date.now(), state: 'success', error: undefined };
  } catch (problem) {
    if (isCancelled(problem)) return idle;
    const error = problem instanceof RequestFailure ? problem : await failureOf(problem);
    return { request: undefined, lastUpdate: Date.now(), state: 'error', error };
  }
}

/**
 * The failure of a request that an error prevented. If its code failed to load, its build may be gone: reloads, or else
 * reports a missing response.
 */
export async function failureOf(problem: unknown): Promise<RequestFailure> {
  console.error(problem);
  if (!isUnloaded(problem))
    return new RequestFailure(0, { ownMessage: problem instanceof Error ? problem.message : '' });
  await reloadOnce();
  return new RequestFailure(undefined);
}

/**
 * Runs `ask` and keeps its status. `start` resolves to the failure, if any, when the request ends, and never rejects; a
 * second `start` during a request does nothing. `cancel`, and leaving the screen, return to idle without an error.
 */
export function useRequest<Input extends unknown[]>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<unknown>,
  { onError }: { onError?: (failure: RequestFailure) => void } = {},
) {
  const [status, setStatus] = useState(idle);
  const [requests] = useState(() => followRequests(setStatus));
  useEffect(() => requests.cancel, [requests]);
  const start = (...input: Input) => requests.start((signal) => ask(signal, ...input), onError);
  /** Cancels a pending request and starts a new one. */
  const restart = (...input: Input) => {
    requests.cancel();
    void start(...input);
  };
  return { ...status, start, restart, cancel: requests.cancel };
}

/** Milliseconds after which a page reports a missing response; the request itself continues. */
export const overdueAfter = seconds(10);

/** How many dialogs keep requests waiting for the user rather than for the server. */
const dialogs = cell({ passkey: 0, stepUp: 0 });

/** Stops the time of overdue requests while a dialog is open. Returns a function that continues it. */
export function waitForUser(dialog: 'passkey' | 'stepUp'): () => void {
  const count = (change: 1 | -1) => dialogs.write({ ...dialogs.read(), [dialog]: dialogs.read()[dialog] + change });
  count(1);
  return () => count(-1);
}

/** Whether a component is in the dialog of a step-up, whose own requests wait for the server. */
export const InStepUp = createContext(false);

/** Whether the user has waited for the server for too long. */
export function useOverdue(waiting: boolean): boolean {
  const [isOverdue, setOverdue] = useState(false);
  const { passkey, stepUp } = useCell(dialogs);
  const isBehindDialog = !useContext(InStepUp) && stepUp > 0;
  const counts = waiting && passkey === 0 && !isBehindDialog;
  useEffect(() => {
    if (!counts) return;
    const stop = after(overdueAfter, () => setOverdue(true));
    return () => {
      stop();
      setOverdue(false);
    };
  }, [counts]);
  return isOverdue;
}

/**
 * Requests outside of a screen, such as the guard's: `send` rejects with their failure, and `status` is that of the newest one.
 */
export function recordRequests<Input extends unknown[], Result>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<Result>,
) {
  const status = cell(idle);
  let newest = 0;
  async function send(...input: Input): Promise<Result> {
    newest += 1;
    const own = newest;
    const { start } = followRequests((now) => own === newest && status.write(now));
    let result: [Result] | undefined;
    let failure: unknown = new DOMException('canceled', 'AbortError');
    await start(
      async (signal) => {
        result = [await ask(signal, ...input)];
      },
      (kept) => {
        failure = kept;
      },
    );
    if (!result) throw failure;
    return result[0];
  }
  return { status, send };
}

/**
 * Runs `ask` for one thing after another, in the order of the clicks: while one line of a list is pending, a click on
 * another line still counts, but a second click on the same line does nothing. A failure discards the clicks after it.
 */
export function useRequestQueue<Input extends unknown[]>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<unknown>,
) {
  const request = useRequest(ask);
  const { current: waiting } = useRef<{ readonly key: string; readonly input: Input }[]>([]);
  useEffect(
    () => () => {
      waiting.length = 0;
    },
    [waiting],
  );
  /** `key` identifies the line. */
  async function start(key: string, ...input: Input): Promise<void> {
    if (waiting.some((other) => other.key === key)) return;
    waiting.push({ key, input });
    if (waiting.length > 1) return;
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (await request.start(...next.input)) waiting.length = 0;
      else waiting.shift();
    }
  }
  return { state: request.state, error: request.error, start };
}
