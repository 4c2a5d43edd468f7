import { useEffect, useRef } from 'react';

/**
 * For buttons that disappear once pressed: moves a keyboard user's focus to the heading of their section, instead of
 * the top of the page. Does not scroll.
 */
export function useKeptFocus(): void {
  const focused = useRef<{ element: Element; heading: HTMLElement | null | undefined }>(undefined);
  useEffect(() => {
    const { activeElement: element, body } = document;
    if (element && element !== body)
      focused.current = { element, heading: element.closest('section:has(h2)')?.querySelector('h2') };
    else if (focused.current?.element.isConnected === false) focused.current.heading?.focus({ preventScroll: true });
  });
}
