import { useEffect, useEffectEvent } from 'react';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { seconds } from '../../../contract/durations.ts';
import type { Answered } from '../../../contract/endpoint.ts';
import type { readCall } from '../confirm-phone.contract.ts';

export type CallStanding = Answered<typeof readCall>;

const interval = seconds(3);

/** Asks from time to time, while the tab is visible, what has become of a call; undefined asks nothing. */
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

/** Undefined when nothing answered: the next time may be better. */
async function askFor(id: string, signal: AbortSignal): Promise<CallStanding | undefined> {
  try {
    const { readCall } = await import('../confirm-phone.contract.ts');
    return await sendRequest(readCall, { params: { call: id }, signal });
  } catch (failure) {
    // The server forgets a call some time after it has expired.
    return failure instanceof RequestFailure && failure.code === 'not_found' ? { state: 'expired' } : undefined;
  }
}
