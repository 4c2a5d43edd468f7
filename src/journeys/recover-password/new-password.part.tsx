import { useRef } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { forgetLink, keepEmail } from '../../browser/navigation/kept-query.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../browser/requests/session.ts';
import { refuseObviousPassword } from '../../contract/sign-in/passwords.ts';
import { Button, SubmitButton } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { NewPasswordFields, newPasswordLabels } from '../../ui/fields/password-fields.tsx';
import { FormStack } from '../../ui/layouts/card.tsx';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';

interface NewPasswordProps {
  email: string;
  /** The link's secret. */
  hash: string;
  /** The account has had no password. */
  first?: '1';
  done: () => void;
  /** The link no longer works; `used`: since someone used it, or the account has changed. */
  expired: (used: boolean) => void;
}

/** The form behind a reset link that works. */
export function NewPassword({ email, hash, first, done, expired }: NewPasswordProps) {
  const { passwordMinLength: min, productName: product } = usePage().settings;
  /** The submitted password, until a response arrives. */
  const unanswered = useRef<string>(undefined);
  const owner = { email, name: '' };
  const form = useForm({
    contract: () => import('./recover-password.contract.ts'),
    schema: ({ newPasswordForm }) => newPasswordForm(min),
    initial: { email, password: '', password_repeat: '' },
    also: { hash },
    asyncCheck: async (typed) => refuseObviousPassword(typed.password, { ...owner, product }),
    checksOnLeaving: true,
    async send({ resetPassword }, body, signal) {
      const isRepeated = unanswered.current === body.password;
      unanswered.current = body.password;
      try {
        await sendRequest(resetPassword, { body, signal });
      } catch (failure) {
        const { status, code, used = false } = failure instanceof RequestFailure ? failure : {};
        if (status !== undefined) unanswered.current = undefined;
        const isOver = code === 'reset_link_invalid';
        // A repeated password with a used link succeeded before: the response to the first request was lost.
        if (!isOver || !isRepeated) {
          if (isOver) expired(used);
          throw failure;
        }
      }
      forgetLink();
      keepEmail(email);
      done();
    },
  });
  return (
    <FormStack {...form.props}>
      <ContinueTo />
      <FormProblems form={form} labels={newPasswordLabels} />
      <Paragraph id="reset.account" values={{ email }} />
      <NewPasswordFields form={form} email={email} />
      <SubmitButton
        label={first ? 'account.save' : 'reset.submit'}
        busy={form.busy ? 'form.wait' : undefined}
        retry={form.retry}
      />
    </FormStack>
  );
}

/** Sends the signed-in owner of an account without a password the link that sets one. */
export function SetPassword({ email }: { email: string }) {
  const { language: locale } = usePage();
  const asking = useRequest(async (signal) => {
    const { requestRecovery } = await import('./recover-password.contract.ts');
    await sendRequest(requestRecovery, { body: { email, locale }, signal });
    notifyAccountChanged();
  });
  return (
    <>
      <Button label="security.password_set" quiet narrow request={asking} />
      {asking.state === 'success' && (
        <Notice kind="success" role="status">
          <Text id="security.password_link" values={{ email }} />
        </Notice>
      )}
      <Failed failure={asking.error} />
    </>
  );
}
