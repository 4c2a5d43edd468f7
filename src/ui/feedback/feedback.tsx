import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import type { Form } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useProgress } from '../../browser/navigation/navigation.tsx';
import { onceReachable } from '../../browser/platform/new-build.ts';
import { type RequestFailure, useOverdue } from '../../browser/requests/request-status.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Exclamation, Information, Tick } from '../icons.tsx';
import { TextButton } from '../text-button.tsx';
import css from './feedback.module.css';

/** Confirms beside the button that the server has stored a form that stays open, until the form changes. */
export const FormSaved = ({ form }: { form: Pick<Form<Record<string, never>>, 'saved'> }) =>
  form.saved && (
    <p role="status" className={css.saved}>
      <Tick />
      <Text id="account.saved" />
    </p>
  );

/** Shows that the next page is loading, if that takes longer than a second, or why it does not load, until it does. */
export function Loading() {
  const { slow, unanswered } = useProgress();
  const isSlow = slow && !unanswered;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!unanswered) return undefined;
    // The link that was clicked may be far below.
    box.current?.scrollIntoView({ block: 'nearest' });
    return unanswered.message === 'frame.unreached' ? onceReachable(unanswered.retry) : undefined;
  }, [unanswered]);
  return (
    <>
      <div role="status" className={isSlow ? css.loading : undefined}>
        {isSlow && <Text id="frame.loading" />}
      </div>
      {unanswered && (
        <div ref={box} className={css.unanswered}>
          <RetryNotice {...unanswered} />
        </div>
      )}
    </>
  );
}

const kinds = {
  danger: { picture: <Exclamation />, look: css.danger },
  success: { picture: <Tick />, look: css.success },
  info: { picture: <Information />, look: css.info },
};

interface NoticeProps {
  kind: keyof typeof kinds;
  /** `alert` interrupts a screen reader, `status` waits. */
  role?: 'alert' | 'status' | undefined;
  /** Makes the notice focusable. */
  ref?: Ref<HTMLDivElement>;
  /** A button, beside the words where there is room. */
  action?: ReactNode;
  /** All that it says; otherwise that is its content. */
  text?: MessageId;
  children?: ReactNode;
}

/** A message on the page, with an icon. */
export const Notice = ({ kind, role, ref, action, text, children }: NoticeProps) => (
  <div ref={ref} tabIndex={ref ? -1 : undefined} role={role} className={`${css.notice} ${kinds[kind].look}`}>
    {kinds[kind].picture}
    <div className={css.words}>{text ? <Text id={text} /> : children}</div>
    {action && <div className={css.action}>{action}</div>}
  </div>
);

/** Explains why a request failed. */
export const Failed = ({ failure }: { failure: RequestFailure | undefined }) =>
  failure ? (
    <Notice kind="danger" role="alert">
      <FailureWords failure={failure} />
    </Notice>
  ) : null;

interface FailureWordsProps {
  readonly failure: Pick<RequestFailure, 'text' | 'reference'>;
  /** Whole minutes left now, if they are counted down. */
  readonly minutes?: number | undefined;
}

/** Why a request failed; for a server error with its reference, by which the operator finds it. */
export const FailureWords = ({ failure: { text, reference }, minutes }: FailureWordsProps) => (
  <>
    <Paragraph {...text} values={minutes === undefined ? text.values : { ...text.values, minutes }} />
    {reference && <Paragraph id="error_page.reference" values={{ reference }} />}
  </>
);

/** Reports a missing response and offers a retry. */
export const RetryNotice = ({ message, retry }: { message: MessageId; retry: (() => void) | undefined }) => (
  <Notice kind="info" role="alert">
    <Paragraph id={message} />
    {retry && <TextButton label="error_page.retry" onClick={retry} />}
  </Notice>
);

/** Shows `RetryNotice` once the user has waited for too long. */
export const Overdue = ({ waiting, retry }: { waiting: boolean; retry?: (() => void) | undefined }) =>
  useOverdue(waiting) ? <RetryNotice message="frame.overdue" retry={retry} /> : null;
