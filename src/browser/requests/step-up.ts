import type { StepUpWay } from '../../contract/sign-in/sign-in-methods.ts';
import { cell } from '../platform/storage.ts';
import { type RequestFailure, waitForUser } from './request-status.ts';

/** A sensitive request that waits until the user has proved again who they are. */
export interface StepUpRequest {
  /** Methods that the account accepts. */
  readonly ways: readonly StepUpWay[];
  /** The proof succeeded: repeats the request. */
  readonly satisfy: () => void;
  /** The user changed their mind: the form returns to its state before the request. */
  readonly cancel: () => void;
  /** The dialog cannot appear, because its code did not load: the form reports that and keeps what was typed. */
  readonly fail: (problem: unknown) => void;
}

/** The request that a dialog of the page shows. */
export const stepUpRequest = cell<StepUpRequest | undefined>(undefined);

let hosts = 0;

/** Announces that the page can show the dialog. Returns a function that takes it back. */
export function hostStepUps(): () => void {
  hosts += 1;
  return () => {
    hosts -= 1;
    if (hosts === 0) stepUpRequest.read()?.cancel();
  };
}

let pending: Promise<void> | undefined;

/**
 * Waits for the proof that a refusal requires; parallel requests share one dialog. Rejects with an error that
 * `isCancelled` recognizes if the user cancels, and with the refusal where no dialog can appear.
 */
export function proveAgain(refusal: RequestFailure, signal: AbortSignal | undefined): Promise<void> {
  if (hosts === 0) return Promise.reject(refusal);
  if (pending) return pending;
  const waited = waitForUser('stepUp');
  pending = new Promise<void>((resolve, reject) => {
    const cancel = () => reject(new DOMException('The user canceled the step-up.', 'AbortError'));
    signal?.addEventListener('abort', cancel);
    const ways = (refusal.ways ?? []) as readonly StepUpWay[];
    stepUpRequest.write({ ways, satisfy: resolve, cancel, fail: reject });
  }).finally(() => {
    pending = undefined;
    waited();
    stepUpRequest.write(undefined);
  });
  return pending;
}
