import { Component, type ReactNode, useEffect, useState } from 'react';

/** Marks the page as hydrated, submits a form that `early.ts` held, and presses the button that it marked. */
export function useHydrated(): void {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    document.documentElement.dataset.alive = '';
    setReady(true);
  }, []);
  // One commit later, which contains what the first effects read: the page's link and a form's draft.
  useEffect(() => {
    if (!isReady) return;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    delete button?.dataset.pressed;
    button?.click();
    const { dataset } = document.documentElement;
    if (!('submitted' in dataset)) return;
    delete dataset.submitted;
    document.forms[0]?.requestSubmit();
  }, [isReady]);
}

/**
 * If React renders the page anew, because an extension has inserted something before hydration, this moves what the user
 * has typed to the new fields. `before` are the fields of the pre-rendered page.
 */
export function moveTyped(before: Iterable<HTMLInputElement>): void {
  for (const field of before) {
    const now = document.querySelector<HTMLInputElement>(`input[name="${field.name}"]`);
    if (!field.isConnected && now) move(field, now);
  }
}

function move(before: HTMLInputElement, now: HTMLInputElement): void {
  if (before.checked === now.checked && (before.value === '' || now.value !== '')) return;
  now.checked = before.checked;
  if (now.type !== 'checkbox') now.value = before.value;
  // The form reads its fields when they change.
  now.dispatchEvent(new Event('input', { bubbles: true }));
}

interface Props {
  /** Replaces the children if one of them throws, or if `broken`. */
  instead: ReactNode;
  broken: boolean;
  children: ReactNode;
}

/** Keeps an error in a screen from unmounting the whole document. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render(): ReactNode {
    return this.state.failed || this.props.broken ? this.props.instead : this.props.children;
  }
}
