import { useForm } from '../../../browser/forms/form.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../../ui/fields/email-field.tsx';
import { PasswordField } from '../../../ui/fields/password-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { FormButtons } from '../layout/form-buttons.part.tsx';

interface AskEmailProps {
  /** The account has a second step, so a dialog asks for it instead of the password. */
  provesFirst: boolean;
  done: () => void;
  cancel: () => void;
}

/** Requests a change of address, which needs a confirmation with the link sent to the new address. */
export function AskEmail({ provesFirst, done, cancel }: AskEmailProps) {
  const form = useForm({
    contract: () => import('./change-email.contract.ts'),
    schema: ({ emailChange, emailChangeAfterStepUp }) => (provesFirst ? emailChangeAfterStepUp : emailChange),
    initial: { email: '', email_password: '' },
    async send({ requestEmailChange }, { email, email_password: password }, signal) {
      await sendRequest(requestEmailChange, { body: provesFirst ? { email } : { email, password }, signal });
      done();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      <EmailField field={form.field('email')} autoComplete="email" onUse={(use) => form.set('email', use)} />
      {!provesFirst && (
        <PasswordField
          field={form.field('email_password')}
          label="account.current_password"
          autoComplete="current-password"
        />
      )}
      <FormButtons form={form} label="account.change_email" cancel={cancel} />
    </FormStack>
  );
}
