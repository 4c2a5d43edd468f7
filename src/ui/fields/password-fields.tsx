import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Eye, EyeClosed } from '../icons.tsx';
import { Tooltip } from '../menus/menu.tsx';
import { Field, Input, inputProps } from './field.tsx';
import css from './password-fields.module.css';

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

interface PasswordFieldProps {
  field: FormField<string>;
  label: MessageId;
  autoComplete: 'current-password' | 'new-password';
  hint?: ReactNode;
  /** Shown at the end of the label's line. */
  aside?: ReactNode;
}

/** A password that the user can reveal until it is sent. */
export function PasswordField({ field, label, autoComplete, hint, aside }: PasswordFieldProps) {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const heed = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'));

  useEffect(() => {
    const form = input.current?.form;
    const hide = () => {
      setShown(false);
      setCapsLock(false);
    };
    form?.addEventListener('submit', hide);
    return () => form?.removeEventListener('submit', hide);
  }, []);

  const name = t(shown ? 'hint.password_hide' : 'hint.password_show');
  return (
    <Field field={field} label={label} hint={hint} aside={aside} news={capsLock && <Text id="hint.caps_lock" />}>
      <Input
        {...inputProps(field, hint)}
        className={css.room}
        ref={input}
        type={shown ? 'text' : 'password'}
        dir="ltr"
        autoComplete={autoComplete}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        onKeyDown={heed}
        onKeyUp={heed}
      />
      <Tooltip text={name} className={css.place}>
        <button
          type="button"
          className={css.show}
          // A form with two new passwords needs distinct names for the two buttons.
          aria-label={autoComplete === 'new-password' ? t('form.problem_at', { label: t(label), message: name }) : name}
          aria-controls={field.id}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeClosed /> : <Eye />}
        </button>
      </Tooltip>
    </Field>
  );
}
