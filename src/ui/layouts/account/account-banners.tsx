import { Text } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Notice } from '../../feedback/notice.tsx';
import { AccountKept } from './account-kept.tsx';

type Account = Pick<ResponseBody<typeof readAccount>, 'email' | 'email_unreachable'>;

/**
 * Notices above the pages of an account: a sign-in canceled its deletion, or our emails bounce, which the owner should
 * know before they need one to reset their password.
 */
export const AccountBanners = ({ account }: { readonly account: Account }) => (
  <>
    <AccountKept />
    {account.email_unreachable && <Unreachable email={account.email} />}
  </>
);

function Unreachable({ email }: { email: string }) {
  return (
    <Notice kind="danger">
      <p>
        <Text
          id="account.unreachable"
          values={{ email }}
          tags={{ change: <Link to="/account/security/#change-email" /> }}
        />
      </p>
    </Notice>
  );
}
