import { useEffect, useRef } from 'react';

/**
 * For a part of a page whose buttons go with what they did: whoever pressed one with the keyboard is then at the heading
 * of its section, and not at the page's beginning. Nothing scrolls.
 */
export function useKeptFocus(): void {
  const focused = useRef<{ element: Element; heading: HTMLElement | null | undefined }>(undefined);
  useEffect(() => {
    const { activeElement: element, body } = document;
    if (element && element !== body)
      focused.current = { element, heading: element.closest('section')?.querySelector('h2') };
    else if (focused.current?.element.isConnected === false) focused.current.heading?.focus({ preventScroll: true });
  });
}
