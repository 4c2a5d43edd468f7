import { type ComponentProps, useEffect, useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useStep } from '../../browser/navigation/history.ts';
import { keepEmail, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { goToLastPlace } from '../../browser/navigation/last-place.ts';
import { Link, useGo } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { UsedPasskey } from '../../browser/passkeys/ceremony.ts';
import { tabStorage } from '../../browser/platform/storage.ts';
import { useCountdown } from '../../browser/platform/timers.ts';
import { RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { sessionNotice, startSession, useSessionNotice } from '../../browser/requests/session.ts';
import { minutes, seconds } from '../../contract/units.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Button, SubmitButton } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../ui/fields/email-field.tsx';
import { PasswordField } from '../../ui/fields/password-fields.tsx';
import { BelowForm, FormStack, Stack, Title } from '../../ui/layouts/card.tsx';
import { DefaultLayout } from '../../ui/layouts/frame.tsx';
import { useContinuedApp } from '../openid/connect/continue-to.part.tsx';
import type { RequestedCode } from '../sign-in-by-code/ask-for-code.part.ts';
import { EnterCode } from '../sign-in-by-code/enter-code.part.tsx';

/** Sign-in: leads to the last place, or back to the page that required it. */
export default function SignIn() {
  const [asked, enter] = useStep<RequestedCode>();
  useEffect(() => () => sessionNotice.write(undefined), []);
  return (
    <DefaultLayout beside={<Text id="sign_in.panel" />}>
      {asked ? <EnterCode key={asked.email} asked={asked} enter={enter} /> : <ByPassword toCode={enter} />}
    </DefaultLayout>
  );
}

function ByPassword({ toCode }: { toCode: (code: RequestedCode) => void }) {
  const { language, settings } = usePage();
  const { email, dbType } = useKeptQuery();
  const notice = useSessionNotice();
  const app = useContinuedApp();
  const go = useGo();
  /** The button's label while the next page loads. */
  const [leaving, leave] = useState<MessageId>();
  const form = useForm({
    contract: () => import('./sign-in.contract.ts'),
    schema: ({ credentials }) => credentials,
    initial: { email, password: '', shared: false },
    also: { db_type: dbType },
    draft: 'sign-in',
    async send({ login }, body, signal) {
      try {
        keepEmail(body.email, body.shared);
        tabStorage.write('entered_by', body.shared ? 'shared' : 'password');
        startSession(await sendRequest(login, { body, signal }));
        leave('sign_in.success');
        await goToLastPlace(language);
      } catch (failure) {
        leave(undefined);
        if (failure instanceof RequestFailure && failure.code === 'second_step_required') {
          leave('failure.second_step_required');
          return go('/second-step/');
        }
        // Clear a wrong password; keep it after a network error.
        if (failure instanceof RequestFailure && failure.status === 401) form.clear('password', body.password);
        throw failure;
      }
    },
  });

  const { failure } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each failure
  useEffect(() => {
    if (failure?.status === 401) form.moveFocus(document.getElementById('password'));
  }, [failure]);

  const code = useRequest(async (signal) => {
    const { askForCode } = await import('../sign-in-by-code/ask-for-code.part.ts');
    const asked = await askForCode(form.field('email').value, { language, signal, shared: form.field('shared').value });
    if ('field' in asked) form.refuse(asked);
    else toCode(asked);
  });

  const shared = form.field('shared').value;
  const passkey = usePasskeySignIn({ shared, dbType, granted: () => leave('sign_in.success') });
  const error = code.error ?? passkey.request.error;
  const waiting = form.busy ? 'form.wait' : undefined;
  return (
    <>
      <Title lead={<Text id="sign_in.method" />}>
        {app === undefined ? (
          <Text id="sign_in.title" />
        ) : (
          <Text id="connect.continue_to" values={{ app }} dir="auto" />
        )}
      </Title>
      <FormStack {...form.props}>
        {notice === 'needed' && app === undefined && !failure && (
          <Notice kind="info" role="status" text="sign_in.continue" />
        )}
        {notice && notice !== 'needed' && !failure && (
          <Notice kind="info" role="status">
            <Text id={`session_ended.${notice}`} />
          </Notice>
        )}
        {failure?.code === 'too_many_attempts' && failure.wait ? (
          <Locked form={form} wait={failure.wait} />
        ) : (
          <FormProblems form={form} />
        )}
        <EmailField
          field={form.field('email')}
          autoComplete="username webauthn"
          onUse={(use) => form.set('email', use)}
        />
        <PasswordField
          field={form.field('password')}
          label="label.password"
          autoComplete="current-password"
          aside={<Link to="/recovery/" text="sign_in.forgot" />}
        />
        <label>
          <input type="checkbox" name="shared" />
          <Text id="sign_in.shared" />
        </label>
        <Failed failure={error} />
        <Stack tight>
          <SubmitButton label="sign_in.submit" busy={leaving ?? waiting} retry={form.retry} />
          {passkey.isOffered && (
            <Button
              label="sign_in.passkey"
              busy={passkey.request.state === 'pending' ? 'form.wait' : undefined}
              quiet
              onClick={() => void passkey.request.start()}
            />
          )}
          {settings.mailCode && <Button label="sign_in.code_instead" plain request={code} />}
        </Stack>
      </FormStack>
      <BelowForm>
        <p>
          <Text id="sign_in.no_account" /> <Link to="/register/" text="sign_in.register" />
        </p>
      </BelowForm>
    </>
  );
}

interface PasskeySignIn {
  /** The computer is shared with others, so browsers offer no passkey by themselves. */
  readonly shared: boolean;
  readonly dbType: string | undefined;
  /** Called when the server has signed the user in. */
  readonly granted: () => void;
}

/** Signs in with a passkey: one that the user picks from the browser's suggestions for the form, or after a click. */
function usePasskeySignIn({ shared, dbType, granted }: PasskeySignIn) {
  const { language, settings } = usePage();
  const load = () => import('../passkeys/sign-in-by-passkey.part.ts');
  const request = useRequest(async (signal, picked?: UsedPasskey) => {
    const { signInWithPasskey } = await load();
    await signInWithPasskey({ signal, picked, shared, dbType, language, granted });
  });
  const [isOffered, setOffered] = useState(settings.passkeys);
  useEffect(() => setOffered(settings.passkeys && 'PublicKeyCredential' in window), [settings]);
  const suggests = isOffered && !shared && request.state !== 'pending';
  // biome-ignore lint/correctness/useExhaustiveDependencies: `start` depends on nothing that changes
  useEffect(() => {
    if (!suggests || !('PublicKeyCredential' in window)) return;
    const offer = load().then(({ offerPasskeys }) => offerPasskeys((picked) => void request.start(picked)));
    return () => void offer.then((end) => end(), console.error);
  }, [suggests]);
  return { isOffered, request };
}

interface LockedProps {
  /** The form that the lockout refused. */
  form: ComponentProps<typeof FormProblems>['form'];
  /** Milliseconds from the refusal. */
  wait: number;
}

/** Shows how long the lockout lasts, other methods to sign in, and when it is over. */
function Locked({ form, wait }: LockedProps) {
  const { failure, request } = form;
  const { left } = useCountdown((request.lastUpdate as number) + wait, wait);
  const free = left === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each failure
  useEffect(() => {
    if (free) form.moveFocus(document.getElementById('password'));
  }, [free, failure]);
  if (free) return <Notice kind="info" role="status" text="sign_in.unlocked" />;
  return (
    <FormProblems
      form={form}
      help={() => <Paragraph id="sign_in.locked_way_out" tags={{ reset: <Link to="/recovery/" /> }} />}
      minutes={Math.ceil(seconds(left) / minutes(1))}
    />
  );
}
