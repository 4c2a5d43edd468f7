import { type ReactNode, useEffect, useState } from 'react';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useKeptFocus } from '../../browser/navigation/history.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Overdue } from '../../ui/feedback/feedback.tsx';
import css from './read.module.css';

/** Reads data when its part of the page appears, and again on request. */
export function useRead<Content>(ask: (signal: AbortSignal) => Promise<Content>) {
  const [response, setResponse] = useState<Content>();
  const { start, restart, state, error } = useRequest(async (signal) => setResponse(await ask(signal)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  return { response, setResponse, again: restart, waiting: state === 'pending', failure: error };
}

interface UnreadProps {
  read: Pick<ReturnType<typeof useRead>, 'response' | 'again' | 'waiting' | 'failure'>;
  /** The usual text, whose height is kept free. */
  usual?: MessageId;
  children: ReactNode;
}

/** Shows the data, or why it is missing. */
export function Unread({ read: { response, again, waiting, failure }, usual, children }: UnreadProps) {
  useKeptFocus();
  return (
    <>
      {response !== undefined && children}
      {response === undefined && !failure && (
        <div className={css.later}>
          <Paragraph role="status" id="frame.loading" />
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
