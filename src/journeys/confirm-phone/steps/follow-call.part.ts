import { useEffect, useEffectEvent } from 'react';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { seconds } from '../../../contract/durations.ts';
import type { Answered } from '../../../contract/endpoint.ts';
import type { readCall } from '../confirm-phone.contract.ts';

export type CallStanding = Answered<typeof readCall>;

const interval = seconds(3);

/** Polls the status of a call while the tab is visible; `undefined` disables polling. */
export function useFollowCall(id: string | undefined, onHeard: (standing: CallStanding) => void): void {
  const heard = useEffectEvent(onHeard);
  useEffect(() => {
    if (id === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    let asking = false;
    const look = async () => {
      if (asking || document.visibilityState !== 'visible') return;
      asking = true;
      const standing = await askFor(id, signal);
      asking = false;
      if (standing && !signal.aborted) heard(standing);
    };
    const timer = setInterval(look, interval);
    document.addEventListener('visibilitychange', look, { signal });
    void look();
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [id]);
}

/** Undefined if there was no response; the next poll may succeed. */
async function askFor(id: string, signal: AbortSignal): Promise<CallStanding | undefined> {
  try {
    const { readCall } = await import('../confirm-phone.contract.ts');
    return await sendRequest(readCall, { params: { call: id }, signal });
  } catch (failure) {
    // The server deletes a call some time after it expires.
    return failure instanceof RequestFailure && failure.code === 'not_found' ? { state: 'expired' } : undefined;
  }
}
