import type { ReactNode } from 'react';
import type { FormField } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { PasswordField } from './password-field.tsx';

/** Labels of the fields whose messages do not name the field, for the summary of errors. */
export const newPasswordLabels = { password_repeat: 'label.password_verify' } as const;

interface NewPasswordFieldsProps {
  form: { field(name: 'password' | 'password_repeat'): FormField<string> };
  /** The address of the account. */
  email: string;
  /** The field with the current password, which precedes the new one. */
  children?: ReactNode;
}

/** A new password for an existing account, typed twice. */
export const NewPasswordFields = ({ form, email, children }: NewPasswordFieldsProps) => (
  <>
    {/* Password managers save the new password under this name. */}
    <input type="text" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
    {children}
    <PasswordField
      field={form.field('password')}
      label="label.password_new"
      autoComplete="new-password"
      hint={<Text id="hint.password" values={{ min: usePage().settings.passwordMinLength }} />}
    />
    <PasswordField field={form.field('password_repeat')} label="label.password_verify" autoComplete="new-password" />
  </>
);
