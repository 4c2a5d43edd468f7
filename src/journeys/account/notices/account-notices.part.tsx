import { Text } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { hasPasskeys } from '../../../browser/passkeys/passkey-support.ts';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { AccountBanners } from '../../../ui/layouts/account-layout.tsx';
import { PasskeyOffer } from '../../passkeys/passkey-offer.part.tsx';
import { Removal, useSecurity } from '../second-step/second-step-rows.part.tsx';

/**
 * Notices above every page of an account, among them a removal of the second step, a second step that the operator
 * requires, and the offer of a passkey.
 */
export function AccountNotices({ account }: { account: ResponseBody<typeof readAccount> }) {
  const { settings } = usePage();
  const { security } = useSecurity();
  return (
    <>
      <AccountBanners account={account} />
      <Removal at={security?.removal_at ?? undefined} />
      {security?.second_step_missing && (
        <Notice kind="danger">
          <p>
            <Text id="security.missing" tags={{ setup: <Link to="/account/security/#authenticator" /> }} />
          </p>
        </Notice>
      )}
      {settings.passkeys && hasPasskeys() && <PasskeyOffer account={account} />}
    </>
  );
}
