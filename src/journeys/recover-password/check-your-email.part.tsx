import { Text } from '../../browser/language/text.tsx';
import { useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { useCountdown } from '../../browser/platform/countdown.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { seconds } from '../../contract/durations.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/notice.tsx';
import { StepTitle } from '../../ui/layouts/title.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import css from './check-your-email.module.css';

/** After this time, the email has probably been lost. */
const resendAfter = seconds(60);

interface CheckYourEmailProps {
  email: string;
  /** Milliseconds since the epoch. */
  sentAt: number;
  /** Called after the email was sent again. */
  sent: () => void;
  /** Returns to the form for another address. */
  change: () => void;
}

/** Shown after the request: the address of the email, and what to do if it does not arrive. */
export function CheckYourEmail({ email, sentAt, sent, change }: CheckYourEmailProps) {
  const { dbType } = useKeptQuery();
  const { language } = usePage();
  const { left, clock } = useCountdown(sentAt + resendAfter, resendAfter);
  const again = useRequest(async (signal) => {
    const { requestRecovery } = await import('./recover-password.contract.ts');
    await sendRequest(requestRecovery, { body: { email, locale: language, db_type: dbType }, signal });
    sent();
  });
  return (
    <>
      <StepTitle title="recovery.sent_title" />
      <div className={css.steps}>
        <p>
          <Text id="recovery.sent_lead" values={{ email }} />
        </p>
        <p>
          <Text id="recovery.sent_validity" />
        </p>
        <TextButton onClick={change}>
          <Text id="form.change" />
        </TextButton>
        <section className={css.help}>
          <h2>
            <Text id="recovery.nothing_title" />
          </h2>
          <ul>
            <li>
              <Text id="recovery.nothing_wait" />
            </li>
            <li>
              <Text id="recovery.nothing_newest" />
            </li>
            <li>
              <Text id="recovery.nothing_spam" />
            </li>
            <li>
              <Text id="recovery.nothing_address" />
            </li>
          </ul>
        </section>
        <div className={css.again}>
          <Failed failure={again.error} />
          {again.state === 'success' && (
            <Notice kind="success" role="status">
              <Text id="recovery.resent" />
            </Notice>
          )}
          {left > 0 ? (
            <p role="timer" className={css.wait}>
              <Text id="recovery.resend_in" values={{ time: clock }} />
            </p>
          ) : (
            <Button
              label="recovery.resend"
              busy={again.state === 'pending' ? 'form.wait' : undefined}
              onClick={() => void again.start()}
              retry={again.restart}
              quiet
            />
          )}
        </div>
      </div>
    </>
  );
}
