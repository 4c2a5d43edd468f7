import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import type { readAccount } from '../../contract/account.ts';
import type { Answered } from '../../contract/endpoint.ts';
import { Notice } from '../feedback/notice.tsx';

type Account = Pick<Answered<typeof readAccount>, 'email' | 'email_unreachable'>;

/** Warns the owner that our emails bounce, before they need one to reset their password. */
export function AccountMail({ account: { email, email_unreachable } }: { readonly account: Account }) {
  if (!email_unreachable) return null;
  return (
    <Notice kind="danger">
      <p>
        <Text id="account.unreachable" values={{ email }} tags={{ change: <Link to="/account/#change-email" /> }} />
      </p>
    </Notice>
  );
}
