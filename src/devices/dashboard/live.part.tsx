import { startTransition, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Paragraph } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import type { RequestFailure } from '../../browser/requests/request-status.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyThisPage, useAccountChanges } from '../../browser/requests/session.ts';

import { seconds } from '../../contract/units.ts';
import { FailureWords, Notice, Overdue } from '../../ui/feedback/feedback.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { listComputers } from '../contract/computers.ts';

/** The last data read, and the failure of a later read, if any. */
export interface Live<Answer> {
  readonly answer: Answer | undefined;
  /** When the data arrived: milliseconds since the epoch. */
  readonly at: number;
  readonly failure: RequestFailure | undefined;
  readonly waiting: boolean;
  readonly again: () => void;
  /** Replaces the data, for example by more of it. */
  readonly replace: (answer: Answer) => void;
}

/** Reads when the component appears and whenever `news` changes; keeps the last data until newer data arrive. */
export function useLive<Answer>(
  news: number | string,
  ask: (signal: AbortSignal) => Promise<Answer>,
  /** Combines the known data and the newest. */
  join: (known: Answer | undefined, newest: Answer) => Answer = (_known, newest) => newest,
): Live<Answer> {
  const [kept, setKept] = useState<Omit<Live<Answer>, 'waiting' | 'again' | 'replace'>>({
    answer: undefined,
    at: 0,
    failure: undefined,
  });
  const heard = useRef<number | string>(undefined);
  const { start, restart, state } = useRequest(
    async (signal) => {
      const reported = news;
      const newest = await ask(signal);
      heard.current = reported;
      const at = Date.now();
      // A transition renders a long list in short tasks.
      startTransition(() => setKept(({ answer }) => ({ answer: join(answer, newest), at, failure: undefined })));
    },
    {
      onError(failure) {
        heard.current = news;
        setKept((before) => ({ ...before, failure }));
      },
    },
  );
  const waiting = state === 'pending';
  // News that arrives during a read triggers another one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when there is news and no read is under way
  useEffect(() => {
    if (!waiting && heard.current !== news) void start();
  }, [news, waiting]);
  const replace = (answer: Answer) => setKept((before) => ({ ...before, answer }));
  return { ...kept, waiting, again: restart, replace };
}

const pollEvery = seconds(5);

const readAll = (signal: AbortSignal): Promise<unknown> => sendRequest(listComputers, { signal });

/** Counts the news of the account, or of what `ask` reads, which a visible page polls for. */
export function useNews(ask = readAll): readonly [news: number, notify: () => void] {
  const [news, setNews] = useState(0);
  const notify = () => setNews((before) => before + 1);
  const read = useEffectEvent(ask);
  // Also what this page or another tab has changed, such as by reading a notification.
  useAccountChanges(notify, () => undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let seen: unknown;
    let isAsking = false;
    const poll = async () => {
      if (isAsking || document.visibilityState === 'hidden') return;
      isAsking = true;
      // An unchanged response is the same object. After a failure, the reads of the page report it.
      const response = await read(signal).catch(() => undefined);
      isAsking = false;
      // The menu counts unread notifications.
      if (!signal.aborted && (response === undefined || response !== seen)) notifyThisPage();
      seen = response;
    };
    const timer = setInterval(poll, pollEvery);
    document.addEventListener('visibilitychange', poll, { signal });
    addEventListener('online', poll, { signal });
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, []);
  return [news, notify];
}

/** Reports that the shown data are stale, or why there are none. */
export function LiveTrouble({
  live: { answer, at, failure, waiting, again },
}: {
  live: Omit<Live<unknown>, 'replace'>;
}) {
  const { when } = useTimes();
  if (!failure) return <Overdue waiting={waiting && answer === undefined} retry={again} />;
  return (
    <Notice kind="danger" role="alert">
      <FailureWords failure={failure} />
      {answer !== undefined && <Paragraph id="dashboard.stale" values={{ time: when(at) }} dir="auto" />}
      <TextButton onClick={() => again()} label="form.retry" />
    </Notice>
  );
}
