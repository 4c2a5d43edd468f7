import { useForm } from '../../../browser/forms/form.ts';
import { useGuessablePassword } from '../../../browser/forms/use-guessable-password.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { PasswordField } from '../../../ui/fields/password-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { FormButtons } from '../layout/form-buttons.part.tsx';

interface ChangePasswordProps {
  email: string;
  /** The account has a second step, so a dialog asks for it instead of the current password. */
  provesFirst: boolean;
  done: () => void;
  cancel: () => void;
}

/** Changes the password; requires the current one, or a second step. */
export function ChangePassword({ email, provesFirst, done, cancel }: ChangePasswordProps) {
  const { passwordMinLength: min } = usePage().settings;
  const guessable = useGuessablePassword();
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ passwordChange, passwordChangeAfterStepUp }) =>
      provesFirst ? passwordChangeAfterStepUp(min) : passwordChange(min),
    initial: { current_password: '', password: '', password_repeat: '' },
    asyncCheck: async (typed) => guessable.check(typed),
    async send({ changePassword }, { current_password, ...passwords }, signal) {
      await sendRequest(changePassword, { body: provesFirst ? passwords : { current_password, ...passwords }, signal });
      done();
    },
  });
  return (
    <FormStack {...form.props} {...guessable.props}>
      <FormProblems form={form} />
      {/* Password managers save the new password under this name. */}
      <input type="text" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
      {!provesFirst && (
        <PasswordField
          field={form.field('current_password')}
          label="account.current_password"
          autoComplete="current-password"
        />
      )}
      <PasswordField
        field={form.field('password')}
        refusal={guessable.refuses(form.field('password')) && <Text id="invalid.password_common" />}
        label="label.password_new"
        autoComplete="new-password"
        hint={<Text id="hint.password" values={{ min }} />}
      />
      <PasswordField field={form.field('password_repeat')} label="label.password_verify" autoComplete="new-password" />
      <FormButtons form={form} label="account.change_password" cancel={cancel} />
    </FormStack>
  );
}
