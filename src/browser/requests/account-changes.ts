import { useEffect, useEffectEvent } from 'react';
import { openChannel } from '../platform/storage.ts';

type Listener = () => void;
const listeners = new Set<Listener>();
const hear = (): void => {
  for (const listener of listeners) listener();
};

let tabs: BroadcastChannel | undefined;
/** Opens the channel on first use, since pages are also rendered on the server. */
function openTabs(): void {
  tabs ??= openChannel<'changed'>('account', hear);
}

/** Notifies this page and the other tabs of this browser that the account has changed. */
export function notifyAccountChanged(): void {
  notifyOtherTabs();
  hear();
}

/** Notifies only this page, as when something beside the account has changed. */
export const notifyThisPage = hear;

/** Notifies only the other tabs: this page shows the response to its change. */
export function notifyOtherTabs(): void {
  openTabs();
  tabs?.postMessage('changed');
}

/**
 * Calls `onChange` when a tab of this browser has changed the account. Calls `onReturn` when the user returns to this
 * tab, since the account may have changed in another browser.
 */
export function useAccountChanges(onChange: Listener, onReturn: Listener): void {
  const change = useEffectEvent(onChange);
  const comeBack = useEffectEvent(onReturn);
  useEffect(() => {
    const listener = () => change();
    const look = () => document.visibilityState === 'visible' && comeBack();
    openTabs();
    listeners.add(listener);
    document.addEventListener('visibilitychange', look);
    return () => {
      listeners.delete(listener);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
}
