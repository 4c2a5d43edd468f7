import { type ReactNode, useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useKeptFocus } from '../../browser/navigation/history.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Overdue } from '../../ui/feedback/feedback.tsx';
import css from './read.module.css';

/** Reads data when its part of the page appears, and again on request. */
export function useRead<Answer>(ask: (signal: AbortSignal) => Promise<Answer>) {
  const [answer, setAnswer] = useState<Answer>();
  const { start, restart, state, error } = useRequest(async (signal) => setAnswer(await ask(signal)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  return { answer, setAnswer, again: restart, waiting: state === 'pending', failure: error };
}

interface UnreadProps {
  read: Pick<ReturnType<typeof useRead>, 'answer' | 'again' | 'waiting' | 'failure'>;
  /** The usual text, whose height is kept free. */
  usual?: MessageId;
  children: ReactNode;
}

/** Shows the data, or why it is missing. */
export function Unread({ read: { answer, again, waiting, failure }, usual, children }: UnreadProps) {
  useKeptFocus();
  return (
    <>
      {answer !== undefined && children}
      {answer === undefined && !failure && (
        <div className={css.later}>
          <p role="status">
            <Text id="frame.loading" />
          </p>
          {usual && (
            <p aria-hidden="true" className={css.usual}>
              <Text id={usual} />
            </p>
          )}
        </div>
      )}
      <Failed failure={failure} />
      {failure && <Button label="form.retry" quiet narrow onClick={() => again()} />}
      <Overdue waiting={waiting} retry={again} />
    </>
  );
}
