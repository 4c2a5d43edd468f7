import { useEffect, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useStep } from '../../browser/navigation/history.ts';
import { keepEmail, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { keepPlaceForLink } from '../../browser/navigation/last-place.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useCountdown } from '../../browser/platform/timers.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { seconds } from '../../contract/units.ts';
import { Button, SubmitButton } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../ui/fields/email-field.tsx';
import { BelowForm, FormStack, StepTitle, Title } from '../../ui/layouts/card.tsx';
import { ClearLayout } from '../../ui/layouts/frame.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';
import css from './recovery.module.css';

interface RequestedEmail {
  readonly email: string;
  readonly at: number;
}

/** Password recovery: asks for the address, then explains the next step. */
export default function Recovery() {
  const [sent, enter] = useStep<RequestedEmail>();
  const [changing, setChanging] = useState(false);
  const change = () => {
    setChanging(true);
    enter(undefined, true);
  };
  return (
    <ClearLayout>
      {sent === undefined ? (
        <RequestForm sent={(email) => enter({ email, at: Date.now() })} changing={changing} />
      ) : (
        <CheckYourEmail
          key={sent.email}
          email={sent.email}
          sentAt={sent.at}
          sent={() => enter({ ...sent, at: Date.now() }, true)}
          change={change}
        />
      )}
      <BelowForm>
        <p>
          <Link to="/" text="recovery.back" />
        </p>
      </BelowForm>
    </ClearLayout>
  );
}

interface RequestFormProps {
  sent: (email: string) => void;
  /** Whether the user returned to correct the address. */
  changing: boolean;
}

function RequestForm({ sent, changing }: RequestFormProps) {
  const { email, dbType } = useKeptQuery();
  const { language } = usePage();
  const form = useForm({
    contract: () => import('./recover-password.contract.ts'),
    schema: ({ recoveryRequest }) => recoveryRequest,
    initial: { email },
    also: { db_type: dbType, locale: language },
    // Shared with the sign-in page: the user types the address once.
    draft: 'sign-in',
    async send({ requestRecovery }, body, signal) {
      await sendRequest(requestRecovery, { body, signal });
      keepEmail(body.email);
      keepPlaceForLink();
      sent(body.email.trim());
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the form appears
  useEffect(() => {
    if (changing) document.getElementById('email')?.focus();
  }, []);
  return (
    <>
      <Title lead={<Text id="recovery.lead" />}>
        <Text id="recovery.title" />
      </Title>
      <FormStack {...form.props}>
        <ContinueTo />
        <FormProblems form={form} />
        <EmailField field={form.field('email')} autoComplete="username" onUse={(use) => form.set('email', use)} />
        <SubmitButton label="recovery.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
      </FormStack>
    </>
  );
}

/** After this time, the email has probably been lost. */
const resendAfter = seconds(60);

interface CheckYourEmailProps {
  email: string;
  sentAt: number;
  /** Called after the email was sent again. */
  sent: () => void;
  /** Returns to the form for another address. */
  change: () => void;
}

/** Shown after the request: the address of the email, and what to do if it does not arrive. */
function CheckYourEmail({ email, sentAt, sent, change }: CheckYourEmailProps) {
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
        <Paragraph id="recovery.sent_lead" values={{ email }} />
        <Paragraph id="recovery.sent_validity" />
        <TextButton label="form.change" onClick={change} />
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
          {again.state === 'success' && <Notice kind="success" role="status" text="recovery.resent" />}
          {left > 0 ? (
            <Paragraph role="timer" className={css.wait} id="recovery.resend_in" values={{ time: clock }} />
          ) : (
            <Button label="recovery.resend" quiet request={again} />
          )}
        </div>
      </div>
    </>
  );
}
