import { type ReactNode, useEffect, useState } from 'react';
import { draftOf, hasDraft } from '../../../browser/forms/draft.ts';
import { useForm, useWrongPassword } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { useKeptFocus } from '../../../browser/navigation/history.ts';
import { forgetLink, keptQuery } from '../../../browser/navigation/kept-query.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../../browser/requests/session.ts';
import { confirmEmail, type readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { refuseObviousPassword } from '../../../contract/sign-in/passwords.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { NewPasswordFields, newPasswordLabels, PasswordField } from '../../../ui/fields/password-fields.tsx';
import { FormStack } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { Passkeys, RemovePassword } from '../../passkeys/passkeys.part.tsx';
import { SetPassword } from '../../recover-password/new-password.part.tsx';
import { AskEmail, ChangePhone } from '../contacts/contacts.part.tsx';
import { FormButtons, FormRow, Remark, Row, Rows, Standing, useForms } from '../layout/rows.part.tsx';
import { type Account, Section } from '../layout/section.part.tsx';
import { provesFirst, SecondStepRows, type SecurityState, useSecurity } from '../second-step/second-step-rows.part.tsx';
import { Activity } from '../sessions/activity.part.tsx';

/** How the owner signs in, how the service reaches them, and what happened to the account. */
export default function Security() {
  return <Section title="account_security.page">{(account) => <SecurityRows account={account} />}</Section>;
}

/** Email, password and phone number, each with the form that changes it; passkeys and second step; the activity. */
function SecurityRows({ account }: { account: Account }) {
  const drafts = { email: draftOf(account, 'email'), phone: draftOf(account, 'phone') };
  const begun = (['email', 'phone'] as const).find((name) => hasDraft(drafts[name]));
  const { form, open, shown } = useForms<'email' | 'phone' | 'password' | 'no_password'>(begun);
  const { security, failure, retry } = useSecurity();
  const place = usePage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at every navigation to this page, even from itself
  useEffect(() => {
    const { hash } = location;
    if (hash === '#change-password') open('password');
    else if (hash === '#change-email') open('email');
    else return;
    document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [place]);
  const { phone, phone_written, phone_confirmed } = account;
  const activity = <Activity />;
  return (
    <>
      <Rows>
        <FormRow
          {...form('email')}
          id="change-email"
          label="label.email"
          button="account.change_email"
          said="account.email_sent"
          value={<EmailValue account={account} pending={security?.email_pending ?? undefined} />}
        >
          {(done, cancel) => (
            <AskEmail
              account={account}
              pending={security?.email_pending ?? ''}
              draft={drafts.email}
              provesFirst={provesFirst(security)}
              done={done}
              cancel={cancel}
            />
          )}
        </FormRow>
        <PasswordRow account={account} security={security} forms={{ shown, open, form }} />
        <FormRow
          {...form('phone')}
          label="label.phone"
          button={phone === '' ? 'account.add_phone' : 'account.change_phone'}
          said="account.phone_changed"
          value={
            phone && (
              <>
                <bdi dir="ltr">{phone_written}</bdi>
                <Standing
                  good={phone_confirmed}
                  label={phone_confirmed ? 'account.confirmed' : 'account.unconfirmed'}
                />
              </>
            )
          }
        >
          {(done, cancel) => <ChangePhone account={account} draft={drafts.phone} done={done} cancel={cancel} />}
        </FormRow>
      </Rows>
      {security && (
        <Methods account={account} security={security}>
          {activity}
        </Methods>
      )}
      {failure && !security && (
        <>
          <Failed failure={failure} />
          <Button label="form.retry" quiet narrow onClick={() => retry()} />
        </>
      )}
      {failure && !security && activity}
    </>
  );
}

interface EmailValueProps {
  account: Account;
  /** The address of a requested change, which waits for its link. */
  pending: string | undefined;
}

/** The address of the account and whether it is confirmed, also by the emailed link that led here. */
function EmailValue({ account: { email, email_confirmed }, pending }: EmailValueProps) {
  useKeptFocus();
  const opened = useEmailedLink();
  return (
    <>
      <bdi dir="ltr">{email}</bdi>
      <Standing good={email_confirmed} label={email_confirmed ? 'account.confirmed' : 'account.unconfirmed'} />
      {pending !== undefined && <Pending email={pending} />}
      {opened === 'confirmed' && email_confirmed && (
        <Notice kind="success" role="status" text="account.email_confirmed" />
      )}
      {opened === 'refused' && !email_confirmed && <Notice kind="danger" role="alert" text="change_email.expired" />}
    </>
  );
}

/** A requested change of the address, until its link is opened or the owner cancels it. */
function Pending({ email }: { email: string }) {
  const { start, error } = useRequest(async (signal) => {
    const { cancelEmailChange } = await import('../contacts/change-email.contract.ts');
    await sendRequest(cancelEmailChange, { signal });
    notifyAccountChanged();
  });
  return (
    <>
      <Remark>
        <Text id="account.email_pending" values={{ email }} />
      </Remark>
      <TextButton label="account.cancel" onClick={() => void start()} />
      <Failed failure={error} />
    </>
  );
}

/** Confirms the address if the link of an email led here. The server checks its secret. */
function useEmailedLink() {
  const [outcome, end] = useState<'confirmed' | 'refused'>();
  const { start } = useRequest(
    async (signal) => {
      const { link } = keptQuery.read();
      if (!link) return;
      await sendRequest(confirmEmail, { body: { hash: link.hash }, signal });
      forgetLink();
      end('confirmed');
      notifyAccountChanged();
    },
    {
      onError({ code }) {
        if (code !== 'confirmation_link_expired') return;
        forgetLink();
        end('refused');
      },
    },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page appears
  useEffect(() => void start(), []);
  return outcome;
}

/** The least passkeys of an account without a password: losing one device then does not lock the owner out. */
const passkeysWithoutPassword = 2;

interface PasswordRowProps {
  account: Account;
  /** Undefined until it is read. */
  security: SecurityState | undefined;
  forms: ReturnType<typeof useForms<'email' | 'phone' | 'password' | 'no_password'>>;
}

/** The password, with the form that changes it; owners with two passkeys can remove it. */
function PasswordRow({ account, security, forms: { shown, open, form } }: PasswordRowProps) {
  const { when } = useTimes();
  const { email, password_changed_at: at } = account;
  if (security?.password === false)
    return (
      <Row id="change-password" label="label.password">
        {security.passkeys > 0 && <Remark text="security.no_password" />}
        <SetPassword email={email} />
      </Row>
    );
  const removes = shown?.name === 'no_password';
  const { state, set } = form(removes ? 'no_password' : 'password');
  return (
    <FormRow
      state={state}
      set={(next) => (next === 'open' ? open('password') : set(next))}
      id="change-password"
      label="label.password"
      button="account.change_password"
      said={removes ? 'security.password_removed' : 'account.password_changed'}
      value={
        <>
          {at && (
            <Remark>
              <Text id="account.password_set" dir="auto" values={{ when: when(at) }} />
            </Remark>
          )}
          {(security?.passkeys ?? 0) >= passkeysWithoutPassword && (
            <TextButton label="security.password_remove" danger onClick={() => open('no_password')} />
          )}
        </>
      }
    >
      {(done, cancel) =>
        removes ? (
          <RemovePassword done={done} cancel={cancel} />
        ) : (
          <ChangePassword owner={account} provesFirst={provesFirst(security)} done={done} cancel={cancel} />
        )
      }
    </FormRow>
  );
}

interface MethodsProps {
  account: ResponseBody<typeof readAccount>;
  security: SecurityState;
  /** Below the methods, so that they do not move when it appears. */
  children: ReactNode;
}

/** The passkeys and the second step, as far as the operator offers them. */
function Methods({ account, security, children }: MethodsProps) {
  const { settings } = usePage();
  const [ready, setReady] = useState(!settings.passkeys);
  return (
    <>
      {settings.passkeys && <Passkeys account={account} settled={() => setReady(true)} />}
      {ready && settings.secondStep && <SecondStepRows security={security} />}
      {ready && children}
    </>
  );
}

interface ChangePasswordProps {
  owner: { readonly email: string; readonly name: string };
  /** The account has a second step, so a dialog asks for it instead of the current password. */
  provesFirst: boolean;
  done: () => void;
  cancel: () => void;
}

/** Changes the password; requires the current one, or a second step. */
function ChangePassword({ owner, provesFirst, done, cancel }: ChangePasswordProps) {
  const { passwordMinLength: min, productName: product } = usePage().settings;
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ passwordChange }) => passwordChange(min, provesFirst),
    initial: { current_password: '', password: '', password_repeat: '' },
    checksOnLeaving: true,
    asyncCheck: async (typed) => refuseObviousPassword(typed.password, { ...owner, product }),
    async send({ changePassword }, { current_password, ...passwords }, signal) {
      await sendRequest(changePassword, { body: provesFirst ? passwords : { current_password, ...passwords }, signal });
      notifyAccountChanged();
      done();
    },
  });
  useWrongPassword(form, 'current_password');
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={newPasswordLabels} />
      <NewPasswordFields form={form} email={owner.email}>
        {!provesFirst && (
          <PasswordField
            field={form.field('current_password')}
            label="account.current_password"
            autoComplete="current-password"
          />
        )}
      </NewPasswordFields>
      <FormButtons form={form} label="account.change_password" cancel={cancel} />
    </FormStack>
  );
}
