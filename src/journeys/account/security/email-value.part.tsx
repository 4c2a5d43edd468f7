import { useEffect } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useKeptFocus } from '../../../browser/navigation/kept-focus.ts';
import { useCell } from '../../../browser/platform/cell.ts';
import { emailConfirmation } from '../../../browser/requests/account.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/notice.tsx';
import { resendConfirmation } from '../contacts/change-email.contract.ts';
import { Remark, Standing } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';

/** The address of the account, whether it is confirmed, and how to confirm it. */
export function EmailValue({ account: { email, email_confirmed = false, email_unreachable } }: { account: Account }) {
  useKeptFocus();
  const opened = useCell(emailConfirmation, () => undefined);
  useEffect(() => () => emailConfirmation.write(undefined), []);
  return (
    <>
      <bdi dir="ltr">{email}</bdi>
      <Standing good={email_confirmed} label={email_confirmed ? 'account.confirmed' : 'account.unconfirmed'} />
      {opened === 'confirmed' && email_confirmed && (
        <Notice kind="success" role="status">
          <Text id="account.email_confirmed" />
        </Notice>
      )}
      {opened === 'refused' && !email_confirmed && (
        <Notice kind="danger" role="alert">
          <Text id="change_email.expired" />
        </Notice>
      )}
      {!email_confirmed && (
        <Remark>
          <Text id="account.unconfirmed_text" />
        </Remark>
      )}
      {!email_confirmed && !email_unreachable && <Resend email={email} />}
    </>
  );
}

/** Sends the link that confirms the address again. */
function Resend({ email }: { email: string }) {
  const { start, restart, state, error } = useRequest(async (signal) => {
    await sendRequest(resendConfirmation, { signal });
  });
  return (
    <>
      <Button
        label="account.resend"
        quiet
        narrow
        busy={state === 'pending' ? 'form.wait' : undefined}
        retry={restart}
        onClick={() => void start()}
      />
      {state === 'success' && (
        <Notice kind="success" role="status">
          <Text id="account.resent" values={{ email }} />
        </Notice>
      )}
      <Failed failure={error} />
    </>
  );
}
