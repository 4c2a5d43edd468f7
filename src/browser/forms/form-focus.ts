import { useRef } from 'react';

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
