import { useRef, useState } from 'react';
import type { FieldFailure } from '../../contract/failures.ts';
import type { RequestFailure } from '../requests/request-failure.ts';
import { failureOf } from '../requests/request-status.ts';
import type { Values } from './form-fields.ts';

export const isSame = (some: Values, others: Values): boolean =>
  Object.entries(some).every(([name, value]) => others[name] === value);

/** Whether the server refused the values, so that others may be sent immediately. */
const isRefusal = (failure: RequestFailure | undefined): boolean => failure?.status === 401 || failure?.status === 422;

/** A submission, and the values of a later one, which is not sent at the same time. */
interface Submission {
  readonly values: Values;
  later?: Values;
}

interface SubmissionSteps {
  /** The form's values; undefined once the form is gone. */
  read(): Values | undefined;
  check(values: Values): Promise<readonly FieldFailure[]>;
  /** Shows the errors; resolves to whether there are any. */
  refuse(wrong: readonly FieldFailure[], values: Values): Promise<boolean>;
  /** Resolves to the failure, if any. */
  send(values: Values): Promise<RequestFailure | undefined>;
  /** Submits the form anew. */
  repeat(): void;
}

/**
 * Checks and sends a form, one submission at a time: a double click sends nothing twice. Values that the user corrects and
 * submits meanwhile replace those that are still being checked, and follow those that the server refuses.
 */
export function useSubmissions({ read, check, refuse, send, repeat }: SubmissionSteps) {
  const current = useRef<Submission>(undefined);
  const [unloaded, setUnloaded] = useState<RequestFailure>();
  /** Waiting for the form's code, which takes seconds on a slow network. */
  const [checking, setChecking] = useState(false);

  /** Whether the form was submitted again with other values, which it still has. */
  function isCorrected({ values, later }: Submission): boolean {
    const now = read();
    return later !== undefined && now !== undefined && !isSame(later, values) && isSame(later, now);
  }

  async function submit(): Promise<void> {
    const values = read();
    if (!values) return;
    if (current.current) {
      current.current.later = values;
      return;
    }
    const submission: Submission = { values };
    current.current = submission;
    setUnloaded(undefined);
    // Wait for the next turn: by then, a form whose code has loaded is already checked.
    const slow = setTimeout(setChecking, 0, true);
    let mayFollow = false;
    try {
      const wrong = await check(values);
      if (isCorrected(submission)) mayFollow = true;
      else if (!(await refuse(wrong, values))) mayFollow = isRefusal(await send(values));
    } catch (error) {
      setUnloaded(await failureOf(error));
    } finally {
      clearTimeout(slow);
      if (current.current === submission) {
        current.current = undefined;
        setChecking(false);
        if (mayFollow && isCorrected(submission)) repeat();
      }
    }
  }

  return {
    submit,
    /** Lets the next submission begin although one is pending. */
    abandon(): void {
      current.current = undefined;
    },
    checking,
    /** The form's code did not load. */
    unloaded,
  };
}
