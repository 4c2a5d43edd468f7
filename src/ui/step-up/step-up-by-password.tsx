import { useForm } from '../../browser/forms/form.ts';
import { useWrongPassword } from '../../browser/forms/wrong-password.ts';
import { knownAccount } from '../../browser/requests/known-account.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import { SubmitButton } from '../button.tsx';
import { FormProblems } from '../feedback/form-problems.tsx';
import { PasswordField } from '../fields/passwords/password-field.tsx';
import { FormStack, Stack } from '../layouts/stack.tsx';
import { type StepUpMethodProps, StepUpMethods } from './step-up-methods.tsx';

/** The step-up with the password. */
export function StepUpByPassword({ satisfy, ...others }: StepUpMethodProps) {
  const form = useForm({
    contract: () => import('../../contract/sign-in/step-up.ts'),
    schema: ({ stepUpByPassword }) => stepUpByPassword,
    initial: { step_up_password: '' },
    async send({ stepUp }, { step_up_password: password }, signal) {
      startSession(await sendRequest(stepUp, { body: { password }, signal }));
      satisfy();
    },
  });
  useWrongPassword(form, 'step_up_password');
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      {/* Password managers find the password by this name. */}
      <input
        type="text"
        name="email"
        autoComplete="username"
        defaultValue={knownAccount.read()?.email}
        readOnly
        hidden
      />
      <PasswordField field={form.field('step_up_password')} label="label.password" autoComplete="current-password" />
      <Stack tight>
        <SubmitButton label="step_up.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
        <StepUpMethods {...others} />
      </Stack>
    </FormStack>
  );
}
