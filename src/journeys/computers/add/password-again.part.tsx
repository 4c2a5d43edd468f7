import { useForm } from '../../../browser/forms/form.ts';
import { useWrongPassword } from '../../../browser/forms/wrong-password.ts';
import { Text } from '../../../browser/language/text.tsx';
import { SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { PasswordField } from '../../../ui/fields/passwords/password-field.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';

interface PasswordAgainProps {
  readonly email: string;
  /** Requests a code with the password. */
  readonly ask: (signal: AbortSignal, password: string) => Promise<unknown>;
}

/** Asks for the password before a browser with an old session gets a code: someone else may sit there now. */
export function PasswordAgain({ email, ask }: PasswordAgainProps) {
  const form = useForm({
    contract: () => import('../../../contract/computers/enrolments.ts'),
    schema: ({ passwordAgain }) => passwordAgain,
    initial: { password: '' },
    send: (_contract, { password }, signal) => ask(signal, password),
  });
  useWrongPassword(form, 'password');
  return (
    <Card>
      <FormStack {...form.props}>
        <p>
          <Text id="computers_add.prove" />
        </p>
        <FormProblems form={form} />
        {/* Password managers find the password by this name. */}
        <input type="text" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
        <PasswordField field={form.field('password')} label="label.password" autoComplete="current-password" />
        <SubmitButton
          label="computers_add.prove_submit"
          busy={form.busy ? 'form.wait' : undefined}
          retry={form.retry}
        />
      </FormStack>
    </Card>
  );
}
