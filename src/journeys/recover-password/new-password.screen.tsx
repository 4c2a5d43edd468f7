import { call } from '../../browser/call.ts';
import { CallFailure } from '../../browser/call-failure.ts';
import { useForm } from '../../browser/form.ts';
import { forgetHash, keepEmail } from '../../browser/kept-query.ts';
import { usePage } from '../../browser/page.tsx';
import { Text } from '../../browser/text.tsx';
import { SubmitButton } from '../../ui/button.tsx';
import formCss from '../../ui/form.module.css';
import { FormProblems } from '../../ui/form-problems.tsx';
import { IsolatedText } from '../../ui/isolated-text.tsx';
import { PasswordField } from '../../ui/password-field.tsx';

interface NewPasswordProps {
  email: string;
  /** The link's secret. */
  hash: string;
  done: () => void;
  expired: () => void;
}

/** The form behind a reset link that works. */
export function NewPassword({ email, hash, done, expired }: NewPasswordProps) {
  const { passwordMinLength: min } = usePage().settings;
  const form = useForm({
    contract: () => import('./recover-password.contract.ts'),
    schema: ({ newPasswordForm }) => newPasswordForm(min),
    initial: { email, password: '', password_repeat: '' },
    also: { hash },
    async send({ resetPassword }, body, signal) {
      try {
        await call(resetPassword(min), { body, signal });
      } catch (failure) {
        if (failure instanceof CallFailure && failure.code === 'reset_link_invalid') expired();
        throw failure;
      }
      forgetHash();
      keepEmail(email);
      done();
    },
  });
  return (
    <form {...form.props} className={formCss.form}>
      <FormProblems form={form} />
      <p>
        <IsolatedText id="reset.account" values={{ email }} />
      </p>
      {/* For password managers, which save the new password under it. */}
      <input type="text" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
      <PasswordField
        field={form.field('password')}
        label="label.password_new"
        autoComplete="new-password"
        hint={<Text id="hint.password" values={{ min }} />}
      />
      <PasswordField field={form.field('password_repeat')} label="label.password_verify" autoComplete="new-password" />
      <SubmitButton label="reset.submit" busy={form.busy ? 'form.wait' : undefined} />
    </form>
  );
}
