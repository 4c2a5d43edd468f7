import { useForm } from '../../../browser/forms/form.ts';
import { useWrongPassword } from '../../../browser/forms/wrong-password.ts';
import { Text } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../../ui/fields/email/email-field.tsx';
import { PasswordField } from '../../../ui/fields/passwords/password-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { FormButtons } from '../layout/form-buttons.part.tsx';
import { Remark } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';

interface AskEmailProps {
  account: Account;
  draft: string | undefined;
  /** The account has a second step, so a dialog asks for it instead of the password. */
  provesFirst: boolean;
  done: () => void;
  cancel: () => void;
}

/** Requests a change of address, which needs a confirmation with the link sent to the new address. */
export function AskEmail({ account, draft, provesFirst, done, cancel }: AskEmailProps) {
  const form = useForm({
    contract: () => import('./change-email.contract.ts'),
    schema: ({ emailChange, emailChangeAfterStepUp }) => (provesFirst ? emailChangeAfterStepUp : emailChange),
    initial: { email: '', email_password: '' },
    draft,
    async send({ requestEmailChange }, { email, email_password: password }, signal) {
      await sendRequest(requestEmailChange, { body: provesFirst ? { email } : { email, password }, signal });
      done();
    },
  });
  useWrongPassword(form, 'email_password');
  return (
    <FormStack {...form.props}>
      <Remark>
        <Text id="account.email_now" values={{ email: account.email }} />
      </Remark>
      <FormProblems form={form} />
      <EmailField
        field={form.field('email')}
        label="label.email_new"
        autoComplete="email"
        onUse={(use) => form.set('email', use)}
      />
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
