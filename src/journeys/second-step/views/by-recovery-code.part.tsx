import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack, Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle } from '../../../ui/layouts/title.tsx';
import { useComplete } from './complete.part.ts';
import { Remember } from './remember.part.tsx';

interface ByRecoveryCodeProps {
  /** The pending sign-in has expired. */
  over: () => void;
  /** Returns to the other methods. */
  back: () => void;
  toLost: () => void;
}

const input = () => document.getElementById('recovery_code') as HTMLInputElement | null;

/** One of the codes that the owner saved when they set up the authenticator. */
export function ByRecoveryCode({ over, back, toLost }: ByRecoveryCodeProps) {
  const { granted, complete } = useComplete(over);
  const [remember, setRemember] = useState(false);
  const form = useForm({
    contract: () => import('../second-step.contract.ts'),
    schema: ({ recoveryForm }) => recoveryForm,
    initial: { recovery_code: '' },
    send: (_contract, { recovery_code }, signal) => complete({ recovery_code }, remember, signal),
  });
  const unfocused = useRef<HTMLElement>(null);
  // After the heading, which takes the focus first.
  useEffect(() => input()?.focus(), []);
  const { failure } = form;
  useEffect(() => {
    if (failure?.code === 'code_incorrect') input()?.select();
  }, [failure]);
  const waiting = form.busy ? 'form.wait' : undefined;
  return (
    <>
      <StepTitle title="second_step.recovery" lead="second_step.recovery_lead" />
      <FormStack {...form.props}>
        <FormProblems form={{ ...form, summaryRef: unfocused }} />
        <TextField
          field={form.field('recovery_code')}
          label="second_step.recovery_code"
          autoComplete="off"
          dir="ltr"
          spellCheck={false}
        />
        <Remember remember={remember} set={setRemember} />
        <Stack tight>
          <SubmitButton label="second_step.submit" busy={granted ? 'sign_in.success' : waiting} retry={form.retry} />
          <Button label="second_step.other" plain onClick={back} />
          <Button label="second_step.lost" plain onClick={toLost} />
        </Stack>
      </FormStack>
    </>
  );
}
