import { useEffect, useRef, useState } from 'react';
import type { FieldFailure } from '../../contract/failures.ts';
import { useText } from '../language/text.tsx';
import type { FieldValue, Values } from './form-fields.ts';

const inOrder = (all: readonly FieldFailure[], values: Values) =>
  Object.keys(values).flatMap((name) => all.find(({ field }) => field === name) ?? []);

/** What is wrong with a form, as it is told: in its summary, which gets the focus. */
export function useRefusals() {
  const t = useText();
  const [failures, setFailures] = useState<readonly FieldFailure[]>([]);
  const [refusals, setRefusals] = useState(0);
  /** What the server refused stays wrong until it is changed or sent again. */
  const refused = useRef<readonly (FieldFailure & { value: FieldValue | undefined })[]>([]);
  const summaryRef = useRef<HTMLElement>(null);

  /** The first thing that is wrong with each field, in the order of the form. */
  function allWrong(found: readonly FieldFailure[], values: Values): readonly FieldFailure[] {
    const all = [...found, ...refused.current.filter(({ field, value }) => values[field] === value)];
    return inOrder(all, values);
  }

  /** Tells what is wrong with a form that was submitted, by our own checks or by the server's; false if nothing is. */
  function refuse(found: readonly FieldFailure[], values: Values, byServer: readonly FieldFailure[] = []): boolean {
    refused.current = byServer.map((failure) => ({ ...failure, value: values[failure.field] }));
    const wrong = allWrong(found, values);
    setFailures(wrong);
    if (wrong.length > 0) setRefusals((count) => count + 1);
    return wrong.length > 0;
  }

  useEffect(() => {
    if (refusals > 0) summaryRef.current?.focus();
  }, [refusals]);

  return {
    failures,
    refuse,
    /** Tells what is wrong with one field while the form is still being filled in; the focus is not moved. */
    refuseField(failure: FieldFailure, values: Values): void {
      setFailures((before) => inOrder([failure, ...before], values));
    },
    /** Takes back what is mended by now, and says nothing new. */
    mend(found: readonly FieldFailure[], values: Values): void {
      const still = allWrong(found, values);
      setFailures((before) => before.flatMap(({ field }) => still.find((failure) => failure.field === field) ?? []));
    },
    takeBack: (name: string): void => setFailures((before) => before.filter(({ field }) => field !== name)),
    summary: failures.map(({ field, code, params }) => ({ field, code, message: t(`invalid.${code}`, params) })),
    summaryRef,
  };
}
