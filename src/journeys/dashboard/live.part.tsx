import { useEffect, useRef, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Overdue } from '../../ui/feedback/unanswered.tsx';
import { TextButton } from '../../ui/text-button.tsx';

/** What was read last, and why the reading after it failed, if it did. */
export interface Live<Answer> {
  readonly answer: Answer | undefined;
  /** When that came: milliseconds since 1970. */
  readonly at: number;
  readonly failure: RequestFailure | undefined;
  readonly waiting: boolean;
  readonly again: () => void;
  /** Shows something else in its place, such as more of it. */
  readonly replace: (answer: Answer) => void;
}

/** Reads when it is shown, and anew with each of the `news`; what was read stays until there is something newer. */
export function useLive<Answer>(
  news: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
  /** What to show of what was known before and the newest. */
  join: (known: Answer | undefined, newest: Answer) => Answer = (_known, newest) => newest,
): Live<Answer> {
  const [kept, setKept] = useState<Omit<Live<Answer>, 'waiting' | 'again' | 'replace'>>({
    answer: undefined,
    at: 0,
    failure: undefined,
  });
  const heard = useRef<number>(undefined);
  const { start, restart, state } = useRequest(
    async (signal) => {
      const told = news;
      const newest = await ask(signal);
      heard.current = told;
      setKept(({ answer }) => ({ answer: join(answer, newest), at: Date.now(), failure: undefined }));
    },
    {
      onError(failure) {
        heard.current = news;
        setKept((before) => ({ ...before, failure }));
      },
    },
  );
  const waiting = state === 'pending';
  // What is told while a reading is under way has it read once more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is something to read, and nothing is being read
  useEffect(() => {
    if (!waiting && heard.current !== news) void start();
  }, [news, waiting]);
  const replace = (answer: Answer) => setKept((before) => ({ ...before, answer }));
  return { ...kept, waiting, again: restart, replace };
}

/** Says of what is shown that it is not what there is now, or why there is nothing at all. */
export function LiveTrouble({
  live: { answer, at, failure, waiting, again },
}: {
  live: Omit<Live<unknown>, 'replace'>;
}) {
  const { when } = useTimes();
  if (!failure) return <Overdue waiting={waiting && answer === undefined} retry={again} />;
  return (
    <Notice kind="danger" role="alert">
      <p>
        <Text {...failure.text} />
      </p>
      {answer !== undefined && (
        <p>
          <Text id="dashboard.stale" values={{ time: when(at) }} dir="auto" />
        </p>
      )}
      <TextButton onClick={() => again()}>
        <Text id="form.retry" />
      </TextButton>
    </Notice>
  );
}
