import { useEffect } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { AskEmail } from '../contacts/ask-email.part.tsx';
import { ChangePhone } from '../contacts/change-phone.part.tsx';
import { FormRow, useForms } from '../layout/form-row.part.tsx';
import { Remark, Rows, Standing } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';
import { useTimes } from '../lines.part.tsx';
import { ChangePassword } from '../password/password.part.tsx';
import { Activity } from '../sessions/activity.part.tsx';
import { EmailValue } from './email-value.part.tsx';

/** Email, password and phone number, each with the form that changes it, and the account's activity. */
export function SecurityRows({ account }: { account: Account }) {
  const { when } = useTimes();
  const { form, open, shown } = useForms<'email' | 'phone' | 'password'>();
  const place = usePage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at every navigation to this page, even from itself
  useEffect(() => {
    const { hash } = location;
    if (hash === '#change-password') open('password');
    else if (hash === '#change-email') open('email');
    else return;
    document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [place]);
  const { email, phone, phone_written = phone, phone_confirmed, password_changed_at } = account;
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
          {(done, cancel) => <AskEmail done={done} cancel={cancel} />}
        </FormRow>
        <FormRow
          {...form('password')}
          id="change-password"
          label="label.password"
          button="account.change_password"
          said="account.password_changed"
          value={
            password_changed_at && (
              <Remark>
                <Text id="account.password_set" dir="auto" values={{ when: when(password_changed_at) }} />
              </Remark>
            )
          }
        >
          {(done, cancel) => <ChangePassword email={email} done={done} cancel={cancel} />}
        </FormRow>
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
          {(done, cancel) => <ChangePhone email={email} done={done} cancel={cancel} />}
        </FormRow>
      </Rows>
      <Activity key={shown?.state} />
    </>
  );
}
