import { useLayoutEffect, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { forgetDraft, keepDraft, readDraft } from '../../browser/forms/form-draft.ts';
import { Text } from '../../browser/language/text.tsx';
import { keepEmail, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../ui/fields/email-field.tsx';
import { ClearLayout } from '../../ui/layouts/clear-layout.tsx';
import { BelowForm, FormStack } from '../../ui/layouts/stack.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { CheckYourEmail } from './check-your-email.part.tsx';

/** Under this name the tab keeps where a message went, so that a reload comes back to that. */
const draft = 'recovery-sent';

/** Password recovery: asks for the address, then says what happens now. */
export default function Recovery() {
  const [sentTo, setSentTo] = useState<string>();
  useLayoutEffect(() => {
    const { email } = readDraft(draft);
    if (typeof email === 'string') setSentTo(email);
  }, []);
  const sent = (email: string) => {
    keepEmail(email);
    keepDraft(draft, { email, at: String(Date.now()) });
    setSentTo(email);
  };
  const change = () => {
    forgetDraft(draft);
    setSentTo(undefined);
  };
  return (
    <ClearLayout>
      {sentTo === undefined ? (
        <RequestForm sent={sent} />
      ) : (
        <CheckYourEmail email={sentTo} sentAt={Number(readDraft(draft).at)} sent={sent} change={change} />
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

function RequestForm({ sent }: { sent: (email: string) => void }) {
  const { email, dbType } = useKeptQuery();
  const { language } = usePage();
  const form = useForm({
    contract: () => import('./recover-password.contract.ts'),
    schema: ({ recoveryRequest }) => recoveryRequest,
    initial: { email },
    also: { db_type: dbType, locale: language },
    draft: 'recovery',
    async send({ requestRecovery }, body, signal) {
      await sendRequest(requestRecovery, { body, signal });
      sent(body.email.trim());
    },
  });
  return (
    <>
      <Title lead={<Text id="recovery.lead" />}>
        <Text id="recovery.title" />
      </Title>
      <FormStack {...form.props}>
        <FormProblems form={form} />
        <EmailField field={form.field('email')} autoComplete="username" onUse={(use) => form.set('email', use)} />
        <SubmitButton label="recovery.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
      </FormStack>
    </>
  );
}
