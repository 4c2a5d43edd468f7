import { useEffect, useEffectEvent, useState } from 'react';
import { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { seconds } from '../../contract/units.ts';
import { tabStorage } from '../platform/storage.ts';
import { useAccountChanges } from './account-changes.ts';
import { mayShowEarlyReads } from './early-reads.ts';
import { knownAccount } from './known-account.ts';
import { useRequest } from './request-status.ts';
import { sendRequest } from './send-request.ts';
import { accessToken, mayHaveSession } from './session.ts';
import { refreshSession } from './session-requests.ts';

type Account = ResponseBody<typeof readAccount>;

/** The account of the signed-in user, read again on each page and after a change; undefined until the first read. */
export function useAccount() {
  const [account, setAccount] = useState<Account | undefined>(knownAccount.read);
  const { start, restart, error } = useRequest(async (signal) => {
    const read = await sendRequest(readAccount, { signal });
    setAccount(read);
    knownAccount.write(read);
    // Only its owner returns to a page of this account after the next sign-in.
    tabStorage.write('account', read.id);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  useAccountChanges(restart, start);
  return { account, failure: error, retry: restart };
}

/** The polling interval while there is no event stream. */
const askedEvery = seconds(5);
const stream = '/computers/events';
const named = 'event: changed';

/** Calls back whenever the account's computers may have changed, while the tab is visible. */
export function useAccountEvents(onNews: () => void): void {
  const hear = useEffectEvent(onNews);
  useEffect(() => {
    const leaving = new AbortController();
    void follow(() => hear(), leaving.signal);
    return () => leaving.abort();
  }, []);
}

async function follow(hear: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (document.visibilityState === 'visible') {
      // Streams fail and end in normal operation: poll until the next one opens.
      await listen(hear, signal).catch(() => undefined);
      await pause(signal);
      if (!signal.aborted) hear();
    } else await becomesVisible(signal);
  }
}

/** Reads the stream until it ends or the tab is hidden: a browser's tabs share few connections. */
async function listen(hear: () => void, leaving: AbortSignal): Promise<void> {
  const hidden = new AbortController();
  const stop = () => document.visibilityState === 'hidden' && hidden.abort();
  document.addEventListener('visibilitychange', stop, { signal: leaving });
  try {
    const response = await open(AbortSignal.any([leaving, hidden.signal]));
    const reader = response.ok ? response.body?.getReader() : undefined;
    const decoder = new TextDecoder();
    if (reader && mayShowEarlyReads()) hear();
    for (let rest = ''; reader; ) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      if (rest.includes(named)) hear();
      rest = rest.slice(rest.lastIndexOf('\n') + 1);
    }
  } finally {
    document.removeEventListener('visibilitychange', stop);
  }
}

/** Opens the stream. A new tab has no token yet, and the token of an old one may have expired: then refreshes it first. */
async function open(signal: AbortSignal): Promise<Response> {
  const token = accessToken();
  const request = () =>
    fetch(stream, { headers: { Accept: 'text/event-stream', Authorization: `Bearer ${accessToken()}` }, signal });
  if (token !== undefined) {
    const response = await request();
    if (response.status !== 401) return response;
  }
  if (!mayHaveSession()) throw new Error('no session');
  // Another request may have refreshed the token in the meantime.
  if (accessToken() === token) await refreshSession();
  return request();
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, askedEvery);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

const becomesVisible = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
