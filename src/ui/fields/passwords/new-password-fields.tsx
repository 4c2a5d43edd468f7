import type { ReactNode } from 'react';
import type { FormField } from '../../../browser/forms/form.ts';
import type { useGuessablePassword } from '../../../browser/forms/use-guessable-password.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { PasswordField } from './password-field.tsx';

/** Labels of the fields whose messages do not name the field, for the summary of errors. */
export const newPasswordLabels = { password_repeat: 'label.password_verify' } as const;

interface NewPasswordFieldsProps {
  form: { field(name: 'password' | 'password_repeat'): FormField<string> };
  guessable: ReturnType<typeof useGuessablePassword>;
  /** The address and name of the account. */
  owner: { readonly email: string; readonly name: string };
  /** The field with the current password, which precedes the new one. */
  children?: ReactNode;
}

/** A new password for an existing account, typed twice. */
export const NewPasswordFields = ({ form, guessable, owner, children }: NewPasswordFieldsProps) => (
  <>
    {/* Password managers save the new password under this name. */}
    <input type="text" name="email" autoComplete="username" defaultValue={owner.email} readOnly hidden />
    {children}
    <PasswordField
      field={form.field('password')}
      refusal={guessable.refuses(form.field('password'), owner) && <Text id="invalid.password_common" />}
      label="label.password_new"
      autoComplete="new-password"
      hint={<Text id="hint.password" values={{ min: usePage().settings.passwordMinLength }} />}
    />
    <PasswordField field={form.field('password_repeat')} label="label.password_verify" autoComplete="new-password" />
  </>
);
