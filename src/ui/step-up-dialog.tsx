import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useForm, useWrongPassword } from '../browser/forms/form.ts';
import { Text } from '../browser/language/text.tsx';
import { pickPasskey } from '../browser/passkeys/ceremony.ts';
import { hasPasskeys } from '../browser/passkeys/passkey-support.ts';
import { InStepUp, useRequest } from '../browser/requests/request-status.ts';
import { sendRequest } from '../browser/requests/send-request.ts';
import { knownAccount, startSession } from '../browser/requests/session.ts';
import type { StepUpRequest } from '../browser/requests/step-up.ts';
import { type StepUpWay, stepUpWays } from '../contract/sign-in/sign-in-methods.ts';
import { stepUp, stepUpChallenge } from '../contract/sign-in/step-up.ts';
import { Button, SubmitButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failed, Notice } from './feedback/feedback.tsx';
import { FormProblems } from './feedback/form-problems.tsx';
import { CodeField, clockHelp } from './fields/code-field.tsx';
import { PasswordField } from './fields/password-fields.tsx';
import { FormStack, Stack } from './layouts/card.tsx';
import css from './step-up-dialog.module.css';

export interface StepUpDialogProps {
  request: StepUpRequest;
}

/** Asks the user to prove again who they are, by any method of the account. Escape cancels. */
export function StepUpDialog({ request: { ways, satisfy, cancel } }: StepUpDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [title, lead] = [useId(), useId()];
  const usable = stepUpWays.filter((way) => ways.includes(way) && (way !== 'passkey' || hasPasskeys()));
  const [way, choose] = useState(usable[0]);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closing returns the focus to the button that sent the request.
    return () => current?.close();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another method replaces the focused element
  useEffect(() => {
    dialog.current?.querySelector<HTMLElement>('input:not([hidden]), button')?.focus();
  }, [way]);
  const Form = way && forms[way];
  const others = usable.filter((one) => one !== way);
  const props = { satisfy, cancel, others, choose };
  return (
    <Dialog ref={dialog} labelledBy={title} describedBy={lead} cancel={cancel}>
      <h2 id={title} className={css.title}>
        <Text id="second_step.page" />
      </h2>
      <p id={lead} className={css.lead}>
        <Text id="step_up.lead" />
      </p>
      <InStepUp value={true}>{Form && <Form {...props} />}</InStepUp>
      {!Form && (
        <>
          <Notice kind="info" text="passkey.unsupported" />
          <StepUpMethods others={[]} choose={choose} cancel={cancel} />
        </>
      )}
    </Dialog>
  );
}

interface StepUpMethodProps {
  /** Called after the proof. */
  satisfy: () => void;
  cancel: () => void;
  /** Further methods that the account accepts, and how to change to one. */
  others: readonly StepUpWay[];
  choose: (way: StepUpWay) => void;
}

const labels = {
  password: 'step_up.password',
  authenticator: 'step_up.code',
  passkey: 'second_step.passkey',
} as const;

const forms = {
  password: StepUpByPassword,
  authenticator: StepUpByCode,
  passkey: StepUpByPasskey,
} as const satisfies Record<StepUpWay, unknown>;

const StepUpMethods = ({ others, choose, cancel }: Omit<StepUpMethodProps, 'satisfy'>) => (
  <div className={css.methods}>
    {others.map((way) => (
      <Button key={way} label={labels[way]} plain onClick={() => choose(way)} />
    ))}
    <Button label="form.cancel" plain onClick={cancel} />
  </div>
);

function StepUpByCode({ satisfy, ...others }: StepUpMethodProps) {
  const form = useForm({
    contract: () => import('../contract/sign-in/step-up.ts'),
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
      <FormProblems form={{ ...form, summaryRef: unfocused }} help={clockHelp} />
      <CodeField form={form} name="step_up_code" label="second_step.code" />
      <Stack tight>
        <SubmitButton label="step_up.submit" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
        <StepUpMethods {...others} />
      </Stack>
    </FormStack>
  );
}

function StepUpByPasskey({ satisfy, ...others }: StepUpMethodProps) {
  const [canceled, setCanceled] = useState(false);
  const proof = useRequest(async (signal) => {
    setCanceled(false);
    const options = await sendRequest(stepUpChallenge, { body: {}, signal });
    const credential = await pickPasskey(options, { signal });
    if (!credential) return setCanceled(true);
    startSession(await sendRequest(stepUp, { body: { credential }, signal }));
    satisfy();
  });
  return (
    <Stack tight>
      <Failed failure={proof.error} />
      {canceled && <Notice kind="info" role="status" text="passkey.canceled" />}
      <Button label="second_step.passkey" request={proof} />
      <StepUpMethods {...others} />
    </Stack>
  );
}

function StepUpByPassword({ satisfy, ...others }: StepUpMethodProps) {
  const form = useForm({
    contract: () => import('../contract/sign-in/step-up.ts'),
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
