import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { seconds } from '../../contract/units.ts';
import { reloadOnce } from '../platform/new-build.ts';
import { cell, useCell } from '../platform/storage.ts';
import { after } from '../platform/timers.ts';
import { isCancelled, isUnloaded, RequestFailure } from './request-failure.ts';

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
