import { type ReactNode, useEffect, useRef } from 'react';
import type { Form } from '../../browser/forms/form.ts';
import { focusField } from '../../browser/forms/form-errors.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { RequestFailure } from '../../browser/requests/request-status.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import type { MessageId } from '../../messages/ids.ts';
import { TextButton } from '../text-button.tsx';
import { FailureWords, Notice } from './feedback.tsx';
import css from './form-problems.module.css';

/** Transient failures: the same request may succeed later. */
const passing: readonly RequestFailure['code'][] = [
  'no_answer',
  'cookies_blocked',
  'unknown',
  'server_error',
  'try_again_later',
  'csrf_failed',
];

/** Messages that any field can have, so they need the field's label. */
const ofAnyField: readonly FieldFailure['code'][] = [
  'required',
  'too_long',
  'too_short',
  'digits_only',
  'not_understood',
];

interface FormProblemsProps {
  form: Pick<Form<Record<string, never>>, 'summary' | 'summaryRef' | 'moveFocus' | 'failure' | 'retry' | 'request'>;
  /** Labels of the fields that can have such a message. */
  labels?: Readonly<Record<string, MessageId>>;
  /** A remedy, after the text of the failure. */
  help?: ((failure: RequestFailure) => ReactNode) | undefined;
  /** Whole minutes left now, if they are counted down. */
  minutes?: number | undefined;
}

/** The summary above a form: its field errors or its failure. Takes the focus when it appears, unless the user types. */
export function FormProblems({ form, labels, help, minutes }: FormProblemsProps) {
  const { summary, summaryRef, moveFocus, retry, request } = form;
  const failure = form.failure?.fields.length ? undefined : form.failure;
  const alert = useRef<HTMLDivElement>(null);
  const { head, setTitle } = usePage();
  const t = useText();
  const errorTitle = t('form.error_title', { title: head.title });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each failure
  useEffect(() => {
    if (failure) moveFocus(alert.current);
  }, [failure]);
  const failed = failure !== undefined || summary.length > 0;
  useEffect(() => {
    if (!failed) return;
    setTitle(errorTitle);
    return () => setTitle(undefined);
  }, [failed, errorTitle, setTitle]);

  const named = ({ field, code, message }: (typeof summary)[number]) =>
    labels?.[field] && ofAnyField.includes(code) ? t('form.problem_at', { label: t(labels[field]), message }) : message;

  if (summary.length > 0) {
    return (
      <section ref={summaryRef} tabIndex={-1} aria-labelledby="problem" className={css.summary}>
        <Notice kind="danger" role="alert">
          <h2 id="problem" className={css.title}>
            <Text id="form.problem" />
          </h2>
          <ul className={css.list}>
            {summary.map((problem) => (
              <li key={problem.field}>
                <a
                  href={`#${problem.field}`}
                  onClick={(event) => {
                    event.preventDefault();
                    focusField(problem.field);
                  }}
                >
                  {named(problem)}
                </a>
              </li>
            ))}
          </ul>
        </Notice>
      </section>
    );
  }
  if (!failure) return null;
  return (
    <Notice key={request.lastUpdate} kind="danger" role="alert" ref={alert}>
      <FailureWords failure={failure} minutes={minutes} />
      {help?.(failure)}
      {passing.includes(failure.code) && <TextButton label="form.retry" onClick={retry} />}
    </Notice>
  );
}
