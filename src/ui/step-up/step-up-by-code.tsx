import { useRef } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import { SubmitButton } from '../button.tsx';
import { FormProblems } from '../feedback/form-problems.tsx';
import { CodeField } from '../fields/codes/code-field.tsx';
import { FormStack, Stack } from '../layouts/stack.tsx';
import { type StepUpMethodProps, StepUpMethods } from './step-up-methods.tsx';

/** The step-up with a code of the authenticator app. */
export function StepUpByCode({ satisfy, ...others }: StepUpMethodProps) {
  const form = useForm({
    contract: () => import('../../contract/sign-in/step-up.ts'),
    schema: ({ stepUpByCode }) => stepUpByCode,
    initial: { step_up_code: '' },
    async send({ stepUp }, { step_up_code: code }, signal) {
      startSession(await sendRequest(stepUp, { body: { code }, signal }));
      satisfy();
    },
  });
  const unfocused = useRef<HTMLElement>(null);
  return (
    <FormStack {...form.props}>
      <FormProblems form={{ ...form, summaryRef: unfocused }} />
      <CodeField form={form} name="step_up_code" label="second_step.code" />
      <Stack tight>
        <SubmitButton label="step_up.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
        <StepUpMethods {...others} />
      </Stack>
    </FormStack>
  );
}
