import { useEffect, useState } from 'react';
import { call } from '../../browser/call.ts';
import { CallFailure } from '../../browser/call-failure.ts';
import { useCountdown } from '../../browser/countdown.ts';
import { useForm } from '../../browser/form.ts';
import { keepEmail, useKeptQuery } from '../../browser/kept-query.ts';
import { goToLastPlace } from '../../browser/last-place.ts';
import { Link } from '../../browser/navigation.tsx';
import { sessionNotice, startSession, useSessionNotice } from '../../browser/session.ts';
import { Text } from '../../browser/text.tsx';
import { minutes } from '../../contract/constants.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { DefaultLayout } from '../../ui/default-layout.tsx';
import { EmailField } from '../../ui/email-field.tsx';
import formCss from '../../ui/form.module.css';
import { FormProblems } from '../../ui/form-problems.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Title } from '../../ui/title.tsx';
import { Locked } from './locked.screen.tsx';

/** Sign-in: to the last place, or back to the page that asked for it. */
export default function SignIn() {
  const { email, dbType } = useKeptQuery();
  const notice = useSessionNotice();
  const [granted, setGranted] = useState(false);
  useEffect(() => () => sessionNotice.write(undefined), []);

  const form = useForm({
    contract: () => import('./sign-in.contract.ts'),
    schema: ({ credentials }) => credentials,
    initial: { email, password: '' },
    also: { db_type: dbType },
    draft: 'sign-in',
    async send({ login }, body, signal) {
      try {
        keepEmail(body.email);
        startSession(await call(login, { body, signal }));
        setGranted(true);
        await goToLastPlace();
      } catch (failure) {
        setGranted(false);
        // What was refused is typed anew; a network that failed is no reason for that.
        if (failure instanceof CallFailure && failure.status === 401) form.set('password', '');
        throw failure;
      }
    },
  });

  const typed = form.field('email').value;
  const { failure, request } = form;
  const wait = failure?.code === 'too_many_attempts' && failure.minutes ? minutes(failure.minutes) : undefined;
  const { left, clock } = useCountdown(wait && (request.lastUpdate as number) + wait);
  const free = wait !== undefined && left === 0;

  const waiting = form.busy ? 'form.wait' : undefined;
  return (
    <DefaultLayout beside={<Text id="sign_in.panel" />}>
      <Title title="sign_in.title" lead="sign_in.method" />
      <form {...form.props} className={formCss.form}>
        {notice && !failure && (
          <Notice kind="info" role="status">
            <Text id={notice} />
          </Notice>
        )}
        {!free && <FormProblems form={form} help={() => wait && <Locked clock={clock} />} />}
        <EmailField
          field={form.field('email')}
          autoComplete="username webauthn"
          onUse={(use) => form.set('email', use)}
        />
        <PasswordField field={form.field('password')} label="label.password" autoComplete="current-password" />
        <SubmitButton label="sign_in.submit" busy={granted ? 'sign_in.success' : waiting} />
      </form>
      <div className={formCss.after}>
        <p>
          <Link to="/recovery/" onClick={() => typed && keepEmail(typed)}>
            <Text id="sign_in.forgot" />
          </Link>
        </p>
        <p>
          <Text id="sign_in.no_account" />{' '}
          <Link to="/register/">
            <Text id="sign_in.register" />
          </Link>
        </p>
      </div>
    </DefaultLayout>
  );
}
