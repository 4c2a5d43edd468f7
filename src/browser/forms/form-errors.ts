import { useEffect, useRef, useState } from 'react';
import type { FieldFailure } from '../../contract/failures.ts';
import { useText } from '../language/text.tsx';
import type { FieldValue, Values } from './draft.ts';

/** An early error was found when the user left the field: it is shown there, but not yet in the summary. */
type ShownFailure = FieldFailure & { readonly isEarly?: boolean };

const inOrder = (all: readonly ShownFailure[], values: Values) =>
  Object.keys(values).flatMap((name) => all.find(({ field }) => field === name) ?? []);

/** The errors of a form, shown in its summary, which gets the focus through `moveFocus`. */
export function useRefusals(moveFocus: (to: HTMLElement | null) => boolean) {
  const t = useText();
  const [failures, setFailures] = useState<readonly ShownFailure[]>([]);
  const [refusals, setRefusals] = useState(0);
  /** Values that the server refused; each stays an error until it is changed or sent again. */
  const refused = useRef<readonly (FieldFailure & { value: FieldValue | undefined })[]>([]);
  const summaryRef = useRef<HTMLElement>(null);

  /** The first error of each field, in the order of the form. */
  function allWrong(found: readonly FieldFailure[], values: Values): readonly FieldFailure[] {
    const all = [...found, ...refused.current.filter(({ field, value }) => values[field] === value)];
    return inOrder(all, values);
  }

  /** Shows the errors of a submitted form, from our checks or the server's; returns whether there are any. */
  function refuse(found: readonly FieldFailure[], values: Values, byServer: readonly FieldFailure[] = []): boolean {
    refused.current = byServer.map((failure) => ({ ...failure, value: values[failure.field] }));
    const wrong = allWrong(found, values);
    setFailures(wrong);
    if (wrong.length > 0) setRefusals((count) => count + 1);
    return wrong.length > 0;
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each refusal
  useEffect(() => {
    if (refusals > 0) moveFocus(summaryRef.current);
  }, [refusals]);

  return {
    failures,
    refuse,
    /** Shows the error of one field while the user is still filling in the form; keeps the focus, and what a submission found. */
    refuseField(failure: ShownFailure, values: Values): void {
      setFailures((before) => inOrder(failure.isEarly ? [...before, failure] : [failure, ...before], values));
    },
    /** Removes the errors that are fixed by now, and adds no new ones. */
    clearFixed(found: readonly FieldFailure[], values: Values): void {
      const still = allWrong(found, values);
      setFailures((before) =>
        before.flatMap(({ field, isEarly = false }) =>
          still.filter((failure) => failure.field === field).map((failure) => ({ ...failure, isEarly })),
        ),
      );
    },
    takeBack: (name: string): void => setFailures((before) => before.filter(({ field }) => field !== name)),
    summary: failures
      .filter(({ isEarly }) => !isEarly)
      .map(({ field, code, params }) => ({ field, code, message: t(`invalid.${code}`, params) })),
    summaryRef,
  };
}

/** Moves the focus to the outcome of a request, unless the user types or has gone elsewhere since. */
export function useFormFocus() {
  /** The focused element when the request was sent, or after `moveFocus`; null once the user types. */
  const left = useRef<Element>(null);
  /** Returns whether the element may have the focus. */
  const moveFocus = (to: HTMLElement | null, options?: FocusOptions): boolean => {
    const isHere = [document.body, left.current].includes(document.activeElement);
    if (isHere) {
      to?.focus(options);
      left.current = document.activeElement;
    }
    return isHere;
  };
  return { left, moveFocus };
}

/** Focuses a field, and opens every `<details>` around it. */
export function focusField(id: string): void {
  const field = document.getElementById(id);
  for (let fold = field?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
  field?.focus();
}
