import { useEffect, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { keepEmail, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { keepPlaceForLink } from '../../browser/navigation/place-of-link.ts';
import { useStep } from '../../browser/navigation/step.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../ui/fields/email/email-field.tsx';
import { ClearLayout } from '../../ui/layouts/clear-layout.tsx';
import { BelowForm, FormStack } from '../../ui/layouts/stack.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';
import { CheckYourEmail } from './check-your-email.part.tsx';

/** An email that was requested for an address. */
interface RequestedEmail {
  readonly email: string;
  /** Milliseconds since the epoch. */
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
          <Link to="/">
            <Text id="recovery.back" />
          </Link>
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
        <ContinueTo text="connect.then_to" />
        <FormProblems form={form} />
        <EmailField field={form.field('email')} autoComplete="username" onUse={(use) => form.set('email', use)} />
        <SubmitButton label="recovery.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
      </FormStack>
    </>
  );
}
