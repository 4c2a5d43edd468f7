import { useEffect, useState } from 'react';
import { reloadOnce } from '../platform/reload-guard.ts';
import { isCancelled, isUnloaded, RequestFailure } from './request-failure.ts';

/** Where one request is: the same record wherever something is asked of the server. */
export interface RequestStatus {
  /** The request under way. */
  readonly request: AbortController | undefined;
  /** When `state` last became pending, success or error: milliseconds since 1970. */
  readonly lastUpdate: number | undefined;
  readonly state: 'idle' | 'pending' | 'success' | 'error';
  readonly error: RequestFailure | undefined;
}

const idle: RequestStatus = { request: undefined, lastUpdate: undefined, state: 'idle', error: undefined };

type Send = (signal: AbortSignal) => Promise<unknown>;

/** Takes one request after another through its states and tells each status; what was cancelled tells nothing more. */
export function followRequests(report: (status: RequestStatus) => void) {
  let current: AbortController | undefined;

  function cancel(): void {
    current?.abort();
    current = undefined;
    report(idle);
  }

  async function start(ask: Send, onError?: (failure: RequestFailure) => void): Promise<void> {
    if (current) return;
    const request = new AbortController();
    current = request;
    const pending = { request, lastUpdate: Date.now(), state: 'pending', error: undefined } as const;
    report(pending);
    const outcome = await outcomeOf(ask, request.signal);
    if (current !== request) return;
    current = undefined;
    report(outcome);
    if (outcome.error) onError?.(outcome.error);
  }

  return { start, cancel };
}

/** How a request ended. One that was given up, by whomever, has no outcome. */
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

/** Code that is gone comes back with another build; code that nothing answers for is like any other answer missing. */
async function failureOf(problem: unknown): Promise<RequestFailure> {
  console.error(problem);
  if (!isUnloaded(problem)) return new RequestFailure(0);
  await reloadOnce();
  return new RequestFailure(undefined);
}

/**
 * Runs `ask` and keeps its status. `start` resolves when it is over and never rejects; a second `start` while one
 * is under way does nothing. `cancel`, and leaving the screen, return to idle without an error.
 */
export function useRequest<Input extends unknown[]>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<unknown>,
  { onError }: { onError?: (failure: RequestFailure) => void } = {},
) {
  const [status, setStatus] = useState(idle);
  const [requests] = useState(() => followRequests(setStatus));
  useEffect(() => requests.cancel, [requests]);
  const start = (...input: Input) => requests.start((signal) => ask(signal, ...input), onError);
  /** Gives up what is under way and asks anew. */
  const restart = (...input: Input) => {
    requests.cancel();
    void start(...input);
  };
  return { ...status, start, restart, cancel: requests.cancel };
}
