import { Paragraph } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { hasPasskeys } from '../../../browser/passkeys/passkey-support.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { AccountBanners } from '../../../ui/layouts/account-layout.tsx';
import { PasskeyOffer } from '../../passkeys/passkey-offer.part.tsx';
import { Removal, useSecurity } from '../second-step/second-step-rows.part.tsx';

interface AccountNoticesProps {
  readonly account: ResponseBody<typeof readAccount>;
  /** Whether the page is about alarms. */
  readonly areAlarms?: boolean;
}

/**
 * Notices above every page of an account, among them a removal of the second step, a second step that the operator
 * requires, and the offer of a passkey.
 */
export function AccountNotices({ account, areAlarms = false }: AccountNoticesProps) {
  const { settings } = usePage();
  const { security } = useSecurity();
  return (
    <>
      <AccountBanners account={account} />
      {!account.email_confirmed && !account.email_unreachable && (
        <Unconfirmed email={account.email} areAlarms={areAlarms || account.open_incidents > 0} />
      )}
      <Removal at={security?.removal_at ?? undefined} />
      {security?.second_step_missing && (
        <Notice kind="danger">
          <Paragraph id="security.missing" tags={{ setup: <Link to="/account/security/#authenticator" /> }} />
        </Notice>
      )}
      {settings.passkeys && hasPasskeys() && <PasskeyOffer account={account} />}
    </>
  );
}

/** Says until the address is confirmed what its owner misses, and sends the link again. */
function Unconfirmed({ email, areAlarms }: { email: string; areAlarms: boolean }) {
  const sending = useRequest(async (signal) => {
    const { resendConfirmation } = await import('../contacts/change-email.contract.ts');
    await sendRequest(resendConfirmation, { signal });
  });
  return (
    <Notice
      kind="info"
      action={sending.state !== 'success' && <Button label="account.resend" quiet narrow request={sending} />}
    >
      <Paragraph id="account.unconfirmed_text" values={{ email }} />
      {areAlarms && <Paragraph id="account.unconfirmed_alarms" />}
      {sending.state === 'success' && <Paragraph role="status" id="account.resent" values={{ email }} />}
      <Failed failure={sending.error} />
    </Notice>
  );
}
