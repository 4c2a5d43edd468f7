import { useEffect, useEffectEvent } from 'react';
import { openChannel } from '../platform/channel.ts';

type Listener = () => void;
const listeners = new Set<Listener>();
const hear = (): void => {
  for (const listener of listeners) listener();
};

let tabs: BroadcastChannel | undefined;
/** Not before it is needed: pages are also rendered on the server. */
function openTabs(): void {
  tabs ??= openChannel<'changed'>('account', hear);
}

/** Says to this page and to the other tabs of this browser that the account is no longer what they show. */
export function notifyAccountChanged(): void {
  openTabs();
  hear();
  tabs?.postMessage('changed');
}

/**
 * Calls back once a tab of this browser has changed the account. `onReturn` is for what happened elsewhere: called when
 * somebody comes back to this tab.
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
