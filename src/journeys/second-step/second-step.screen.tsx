import { useEffect, useRef, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { useStep } from '../../browser/navigation/history.ts';
import { goToLastPlace } from '../../browser/navigation/last-place.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { UsedPasskey } from '../../browser/passkeys/ceremony.ts';
import { tabStorage } from '../../browser/platform/storage.ts';
import { RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import type { BodySent, ResponseBody } from '../../contract/endpoint.ts';
import { hours } from '../../contract/units.ts';
import { Button, ButtonLink, SubmitButton } from '../../ui/button.tsx';
import { Failed, Notice, Overdue } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { CodeField, clockHelp } from '../../ui/fields/code-field.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { BelowForm, FormStack, Stack, StepTitle, Title } from '../../ui/layouts/card.tsx';
import { DefaultLayout, PhoneWithCode } from '../../ui/layouts/frame.tsx';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';
import type { pendingSignIn, secondStep } from './second-step.contract.ts';

/** The view that the page shows instead of the code; it survives a reload, and Back leaves it. */
type SecondStepPlace = 'recovery' | 'lost' | 'over';

/** The second step of a sign-in. The server knows which account waits for it in this browser. */
export default function SecondStep() {
  const [place, enter] = useStep<SecondStepPlace>();
  const [pending, setPending] = useState<ResponseBody<typeof pendingSignIn>>();
  const { start, restart, error } = useRequest(async (signal) => {
    const { pendingSignIn } = await import('./second-step.contract.ts');
    setPending(await sendRequest(pendingSignIn, { signal }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  const over = () => enter('over', true);
  const back = () => enter(undefined, true);
  const isOver = place === 'over' || pending?.ways.length === 0;
  return (
    <DefaultLayout beside={<Text id="sign_in.panel" />} picture={<PhoneWithCode />}>
      {isOver && <SignInOver />}
      {!isOver && !pending && (
        <>
          <Title lead={'\u00a0'} text="second_step.page" />
          <Unread failure={error} retry={restart} />
        </>
      )}
      {!isOver && pending && !place && (
        <ByCode pending={pending} over={over} toRecovery={() => enter('recovery')} toLost={() => enter('lost')} />
      )}
      {!isOver && pending && place === 'recovery' && (
        <ByRecoveryCode over={over} back={back} toLost={() => enter('lost', true)} />
      )}
      {!isOver && pending && place === 'lost' && (
        <Lost
          removalAt={pending.removal_at}
          over={over}
          back={back}
          requested={(at) => setPending({ ...pending, removal_at: at })}
        />
      )}
      {!isOver && (
        <BelowForm>
          <p>
            <Link to="/" text="recovery.back" />
          </p>
        </BelowForm>
      )}
    </DefaultLayout>
  );
}

interface ByCodeProps {
  pending: ResponseBody<typeof pendingSignIn>;
  /** The pending sign-in has expired. */
  over: () => void;
  toRecovery: () => void;
  toLost: () => void;
}

/** The code of the authenticator app or a passkey, and the ways for someone who has neither. */
function ByCode({ pending: { ways, removal_at }, over, toRecovery, toLost }: ByCodeProps) {
  const { granted, complete } = useComplete(over);
  const [remember, setRemember] = useState(false);
  const hasCode = ways.includes('authenticator');
  const form = useForm({
    contract: () => import('./second-step.contract.ts'),
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
        <ContinueTo />
        <RemovalPlanned at={removal_at} />
        <FormProblems form={{ ...form, summaryRef: unfocused }} help={clockHelp} />
        <Failed failure={passkey.error} />
        {passkey.canceled && <Notice kind="info" role="status" text="passkey.canceled" />}
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
          {hasPasskey && !canUsePasskey && !hasCode && <Notice kind="info" text="passkey.unsupported" />}
          {ways.includes('recovery_code') && <Button label="second_step.recovery" plain onClick={toRecovery} />}
          <Button label="second_step.lost" plain onClick={toLost} />
        </Stack>
      </FormStack>
    </>
  );
}

interface ByRecoveryCodeProps {
  /** The pending sign-in has expired. */
  over: () => void;
  /** Returns to the other methods. */
  back: () => void;
  toLost: () => void;
}

const input = () => document.getElementById('recovery_code') as HTMLInputElement | null;

/** One of the codes that the owner saved when they set up the authenticator. */
function ByRecoveryCode({ over, back, toLost }: ByRecoveryCodeProps) {
  const { granted, complete } = useComplete(over);
  const [remember, setRemember] = useState(false);
  const form = useForm({
    contract: () => import('./second-step.contract.ts'),
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

type Proof = Omit<BodySent<typeof secondStep>, 'remember'>;

/** Whether others use this computer: then it is never remembered. */
const isSharedComputer = (): boolean => tabStorage.read('entered_by') === 'shared';

/** Completes the sign-in with a proof; calls `over` if the pending sign-in has expired. */
function useComplete(over: () => void) {
  const { language } = usePage();
  const [granted, setGranted] = useState(false);
  async function complete(proof: Proof, remember: boolean, signal: AbortSignal): Promise<void> {
    const { secondStep } = await import('./second-step.contract.ts');
    try {
      startSession(await sendRequest(secondStep, { body: { ...proof, remember }, signal }));
    } catch (failure) {
      if (!(failure instanceof RequestFailure)) throw failure;
      if (failure.code === 'sign_in_expired') return over();
      // A code of an app cannot be requested again, as `code_incorrect` without attempts would say.
      if (failure.code === 'code_incorrect' && failure.attempts_left === 0) throw lockout(failure);
      throw failure;
    }
    setGranted(true);
    await goToLastPlace(language).catch((failure: unknown) => {
      setGranted(false);
      throw failure;
    });
  }
  return { granted, complete };
}

/** The lockout that has begun; the next attempt reports its exact end. */
const lockout = ({ minutes = 1 }: RequestFailure) => new RequestFailure(429, { code: 'too_many_attempts', minutes });

/** Skips the second step in this browser for a while; not on a computer that others use. */
function Remember({ remember, set }: { remember: boolean; set: (remember: boolean) => void }) {
  const [offered, offer] = useState(false);
  useEffect(() => offer(!isSharedComputer()), []);
  if (!offered) return null;
  return (
    <label>
      <input type="checkbox" checked={remember} onChange={({ target }) => set(target.checked)} />
      <Text id="second_step.remember" />
    </label>
  );
}

/** The pending sign-in has expired, or there is none. The sign-in form still has the email address. */
const SignInOver = () => (
  <>
    <StepTitle title="second_step.over" />
    <Stack>
      <Paragraph id="failure.sign_in_expired" />
      <ButtonLink to="/" label="reset.sign_in" />
    </Stack>
  </>
);

/** The server has not said yet which methods the account has. */
const Unread = ({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) =>
  failure ? (
    <Stack>
      <Failed failure={failure} />
      <Button label="form.retry" quiet onClick={retry} />
    </Stack>
  ) : (
    <Overdue waiting retry={retry} />
  );

/** Asks for one of the account’s passkeys, and completes the sign-in with it. */
function useSecondPasskey(complete: (credential: UsedPasskey, signal: AbortSignal) => Promise<void>, over: () => void) {
  const [canceled, setCanceled] = useState(false);
  const { start, state, error } = useRequest(async (signal) => {
    setCanceled(false);
    const [{ secondStepChallenge }, { pickPasskey }] = await Promise.all([
      import('./second-step.contract.ts'),
      import('../../browser/passkeys/ceremony.ts'),
    ]);
    const options = await sendRequest(secondStepChallenge, { body: {}, signal }).catch((failure: unknown) => {
      if (failure instanceof RequestFailure && failure.code === 'sign_in_expired') return over();
      throw failure;
    });
    if (!options) return;
    const credential = await pickPasskey(options, { signal });
    if (credential) await complete(credential, signal);
    else setCanceled(true);
  });
  return { start: () => void start(), busy: state === 'pending', error, canceled };
}

interface LostProps {
  /** When a requested removal takes effect: ISO 8601. */
  removalAt: string | null;
  requested: (at: string) => void;
  /** The pending sign-in has expired. */
  over: () => void;
  /** Returns to the other methods. */
  back: () => void;
}

/** Explains and requests the removal of a second step whose owner has lost every method. */
export function Lost({ removalAt, requested, over, back }: LostProps) {
  const { when } = useTimes();
  const { secondStepRemovalHours } = usePage().settings;
  const wouldBeAt = new Date(Date.now() + hours(secondStepRemovalHours)).toISOString();
  const asking = useRequest(async (signal) => {
    const { secondStepLost } = await import('./second-step.contract.ts');
    try {
      requested((await sendRequest(secondStepLost, { body: {}, signal })).removal_at);
    } catch (failure) {
      if (failure instanceof RequestFailure && failure.code === 'sign_in_expired') return over();
      throw failure;
    }
  });
  if (removalAt !== null)
    return (
      <>
        <StepTitle key="planned" title="second_step.lost_done" />
        <Stack>
          <Notice kind="success">
            <Paragraph id="second_step.removal_at" dir="auto" values={{ when: when(removalAt) }} />
          </Notice>
          <Paragraph id="second_step.lost_next" />
          <Button label="second_step.other" quiet onClick={back} />
        </Stack>
      </>
    );
  return (
    <>
      <StepTitle title="second_step.lost_title" />
      <Stack>
        <p>
          <Text id="second_step.lost_text" />{' '}
          <Text id="second_step.removal_at" dir="auto" values={{ when: when(wouldBeAt) }} />
        </p>
        <Paragraph id="second_step.lost_wait" />
        <Failed failure={asking.error} />
        <Stack tight>
          <Button label="second_step.lost_submit" danger request={asking} />
          <Button label="second_step.other" plain onClick={back} />
        </Stack>
      </Stack>
    </>
  );
}

/** When the second step will be removed, if someone with the password requested that. Takes ISO 8601. */
export function RemovalPlanned({ at }: { at: string | null }) {
  const { when } = useTimes();
  if (at === null) return null;
  return (
    <Notice kind="info">
      <Paragraph id="second_step.removal_at" dir="auto" values={{ when: when(at) }} />
    </Notice>
  );
}
