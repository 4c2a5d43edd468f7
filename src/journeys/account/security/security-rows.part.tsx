import { useEffect } from 'react';
import { draftOf, hasDraft } from '../../../browser/forms/form-draft.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { AskEmail } from '../contacts/ask-email.part.tsx';
import { ChangePhone } from '../contacts/change-phone.part.tsx';
import { FormRow, useForms } from '../layout/form-row.part.tsx';
import { Rows, Standing } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';
import { provesFirst, useSecurity } from '../second-step/use-security.part.ts';
import { Activity } from '../sessions/activity.part.tsx';
import { EmailValue } from './email-value.part.tsx';
import { Methods } from './methods.part.tsx';
import { PasswordRow } from './password-row.part.tsx';

/** Email, password and phone number, each with the form that changes it; passkeys and second step; the activity. */
export function SecurityRows({ account }: { account: Account }) {
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
  const { phone, phone_written = phone, phone_confirmed } = account;
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
          value={<EmailValue account={account} />}
        >
          {(done, cancel) => (
            <AskEmail
              account={account}
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
          button="account.change_phone"
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
