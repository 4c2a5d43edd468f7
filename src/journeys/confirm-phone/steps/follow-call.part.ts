import { useEffect, useEffectEvent } from 'react';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { seconds } from '../../../contract/durations.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { readCall } from '../confirm-phone.contract.ts';

export type CallStanding = ResponseBody<typeof readCall>;

const interval = seconds(3);

/**
 * Polls the status of a call while the tab is visible; `undefined` disables polling. If there is no response, the next poll may
 * succeed.
 */
export function useFollowCall(id: string | undefined, onHeard: (standing: CallStanding) => void): void {
  const { start, cancel } = useRequest(async (signal, call: string) => onHeard(await standingOf(call, signal)));
  const look = useEffectEvent(() => {
    if (id !== undefined && document.visibilityState === 'visible') void start(id);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `cancel` is always the same
  useEffect(() => {
    if (id === undefined) return;
    const timer = setInterval(look, interval);
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      cancel();
    };
  }, [id]);
}

async function standingOf(call: string, signal: AbortSignal): Promise<CallStanding> {
  const { readCall } = await import('../confirm-phone.contract.ts');
  return sendRequest(readCall, { params: { call }, signal }).catch((failure: unknown) => {
    // The server deletes a call some time after it expires.
    if (failure instanceof RequestFailure && failure.code === 'not_found') return { state: 'expired' };
    throw failure;
  });
}
