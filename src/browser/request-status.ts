import { useEffect, useRef, useState } from 'react';
import { CallFailure, isCancelled } from './call-failure.ts';

/** How one request stands: the same record wherever something is asked of the server. */
export interface RequestStatus {
  /** The request under way. */
  readonly request: AbortController | undefined;
  /** When `state` last became pending, success or error: milliseconds since 1970. */
  readonly lastUpdate: number | undefined;
  readonly state: 'idle' | 'pending' | 'success' | 'error';
  readonly error: CallFailure | undefined;
}

const idle: RequestStatus = { request: undefined, lastUpdate: undefined, state: 'idle', error: undefined };

/**
 * Runs `ask` and keeps its status. `start` resolves when it is over and never rejects; a second `start` while one
 * is under way does nothing. `cancel`, and leaving the screen, return to idle without an error.
 */
export function useRequest<Input extends unknown[]>(
  ask: (signal: AbortSignal, ...input: Input) => Promise<unknown>,
  { onError }: { onError?: (failure: CallFailure) => void } = {},
) {
  const [status, setStatus] = useState(idle);
  const current = useRef<AbortController>(undefined);
  const cancel = () => {
    current.current?.abort();
    current.current = undefined;
    setStatus(idle);
  };
  useEffect(() => () => current.current?.abort(), []);

  async function start(...input: Input): Promise<void> {
    if (current.current) return;
    const request = new AbortController();
    current.current = request;
    const became = (state: 'pending' | 'success' | 'error', error?: CallFailure) =>
      setStatus({ request: state === 'pending' ? request : undefined, lastUpdate: Date.now(), state, error });
    became('pending');
    try {
      await ask(request.signal, ...input);
      became('success');
    } catch (error) {
      if (isCancelled(error)) return;
      const failure = error instanceof CallFailure ? error : new CallFailure(0);
      if (failure !== error) console.error(error);
      became('error', failure);
      onError?.(failure);
    } finally {
      if (current.current === request) current.current = undefined;
    }
  }

  return { ...status, start, cancel };
}
