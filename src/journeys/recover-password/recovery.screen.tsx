import { useLayoutEffect, useState } from 'react';
import { call } from '../../browser/call.ts';
import { useForm } from '../../browser/form.ts';
import { forgetDraft, keepDraft, readDraft } from '../../browser/form-draft.ts';
import { keepEmail, useKeptQuery } from '../../browser/kept-query.ts';
import { Link } from '../../browser/navigation.tsx';
import { usePage } from '../../browser/page.tsx';
import { Text } from '../../browser/text.tsx';
import { SubmitButton } from '../../ui/button.tsx';
import { ClearLayout } from '../../ui/clear-layout.tsx';
import { EmailField } from '../../ui/email-field.tsx';
import formCss from '../../ui/form.module.css';
import { FormProblems } from '../../ui/form-problems.tsx';
import { Title } from '../../ui/title.tsx';
import { CheckYourEmail } from './check-your-email.screen.tsx';

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
      <p className={formCss.after}>
        <Link to="/">
          <Text id="recovery.back" />
        </Link>
      </p>
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
      await call(requestRecovery, { body, signal });
      sent(body.email.trim());
    },
  });
  return (
    <>
      <Title title="recovery.title" lead="recovery.lead" />
      <form {...form.props} className={formCss.form}>
        <FormProblems form={form} />
        <EmailField field={form.field('email')} autoComplete="username" onUse={(use) => form.set('email', use)} />
        <SubmitButton label="recovery.submit" busy={form.busy ? 'form.wait' : undefined} />
      </form>
    </>
  );
}
