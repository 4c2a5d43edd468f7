import { useEffect, useState } from 'react';
import { reloadOnce } from '../platform/reload-guard.ts';
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

export const idle: RequestStatus = { request: undefined, lastUpdate: undefined, state: 'idle', error: undefined };

type Send = (signal: AbortSignal) => Promise<unknown>;

/** Sends one request at a time and reports each status; a cancelled request reports nothing more. */
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
