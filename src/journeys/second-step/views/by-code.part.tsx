import { useRef, useState } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button, SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Failed, Notice } from '../../../ui/feedback/notice.tsx';
import { CodeField } from '../../../ui/fields/codes/code-field.tsx';
import { FormStack, Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle } from '../../../ui/layouts/title.tsx';
import { ContinueTo } from '../../openid/connect/continue-to.part.tsx';
import { RemovalPlanned } from '../removal/removal-planned.part.tsx';
import type { pendingSignIn } from '../second-step.contract.ts';
import { useComplete } from './complete.part.ts';
import { Remember } from './remember.part.tsx';
import { useSecondPasskey } from './use-second-passkey.part.ts';

interface ByCodeProps {
  pending: ResponseBody<typeof pendingSignIn>;
  /** The pending sign-in has expired. */
  over: () => void;
  toRecovery: () => void;
  toLost: () => void;
}

/** The code of the authenticator app or a passkey, and the ways for someone who has neither. */
export function ByCode({ pending: { ways, removal_at }, over, toRecovery, toLost }: ByCodeProps) {
  const { granted, complete } = useComplete(over);
  const [remember, setRemember] = useState(false);
  const hasCode = ways.includes('authenticator');
  const form = useForm({
    contract: () => import('../second-step.contract.ts'),
    schema: ({ codeForm }) => codeForm,
    initial: { code: '' },
    send: (_contract, { code }, signal) => complete({ code }, remember, signal),
  });
  const passkey = useSecondPasskey((credential, signal) => complete({ credential }, remember, signal), over);
  const unfocused = useRef<HTMLElement>(null);
  const hasPasskey = ways.includes('passkey');
  const canUsePasskey = typeof PublicKeyCredential === 'function';
  const waiting = form.busy ? 'form.wait' : undefined;
  return (
    <>
      <StepTitle title="second_step.page" lead={hasCode ? 'second_step.lead_code' : 'second_step.lead_passkey'} />
      <FormStack {...form.props}>
        <ContinueTo text="connect.then_to" />
        <RemovalPlanned at={removal_at} />
        <FormProblems form={{ ...form, summaryRef: unfocused }} />
        <Failed failure={passkey.error} />
        {passkey.canceled && (
          <Notice kind="info" role="status">
            <Text id="passkey.canceled" />
          </Notice>
        )}
        {/* Before the field, whose last digit submits the form. */}
        <Remember remember={remember} set={setRemember} />
        {hasCode && <CodeField form={form} name="code" label="second_step.code" />}
        <Stack tight>
          {hasCode && (
            <SubmitButton label="second_step.submit" busy={granted ? 'sign_in.success' : waiting} retry={form.retry} />
          )}
          {hasPasskey && canUsePasskey && (
            <Button
              label="second_step.passkey"
              quiet={hasCode}
              busy={passkey.busy ? 'form.wait' : undefined}
              onClick={passkey.start}
            />
          )}
          {hasPasskey && !canUsePasskey && !hasCode && (
            <Notice kind="info">
              <Text id="passkey.unsupported" />
            </Notice>
          )}
          {ways.includes('recovery_code') && <Button label="second_step.recovery" plain onClick={toRecovery} />}
          <Button label="second_step.lost" plain onClick={toLost} />
        </Stack>
      </FormStack>
    </>
  );
}
