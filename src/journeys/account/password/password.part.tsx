import { useForm } from '../../../browser/forms/form.ts';
import { useWrongPassword } from '../../../browser/forms/wrong-password.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { refuseObviousPassword } from '../../../contract/sign-in/obvious-password.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { NewPasswordFields, newPasswordLabels } from '../../../ui/fields/passwords/new-password-fields.tsx';
import { PasswordField } from '../../../ui/fields/passwords/password-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { FormButtons } from '../layout/form-buttons.part.tsx';

interface ChangePasswordProps {
  owner: { readonly email: string; readonly name: string };
  /** The account has a second step, so a dialog asks for it instead of the current password. */
  provesFirst: boolean;
  done: () => void;
  cancel: () => void;
}

/** Changes the password; requires the current one, or a second step. */
export function ChangePassword({ owner, provesFirst, done, cancel }: ChangePasswordProps) {
  const { passwordMinLength: min, productName: product } = usePage().settings;
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ passwordChange, passwordChangeAfterStepUp }) =>
      provesFirst ? passwordChangeAfterStepUp(min) : passwordChange(min),
    initial: { current_password: '', password: '', password_repeat: '' },
    asyncCheck: async (typed) => refuseObviousPassword(typed.password, { ...owner, product }),
    async send({ changePassword }, { current_password, ...passwords }, signal) {
      await sendRequest(changePassword, { body: provesFirst ? passwords : { current_password, ...passwords }, signal });
      notifyAccountChanged();
      done();
    },
  });
  useWrongPassword(form, 'current_password');
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={newPasswordLabels} />
      <NewPasswordFields form={form} email={owner.email}>
        {!provesFirst && (
          <PasswordField
            field={form.field('current_password')}
            label="account.current_password"
            autoComplete="current-password"
          />
        )}
      </NewPasswordFields>
      <FormButtons form={form} label="account.change_password" cancel={cancel} />
    </FormStack>
  );
}
