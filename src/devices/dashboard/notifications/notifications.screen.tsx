import { useAccount } from '../../../browser/requests/account.ts';
import { AccountNotices } from '../../../journeys/account/notices/account-notices.part.tsx';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Title } from '../../../ui/layouts/card.tsx';
import { useNews } from '../live.part.tsx';
import { Notifications } from './notifications.part.tsx';

/** What happened to the account's devices, apart from what they report themselves. */
export default function NotificationsPage() {
  const { account, failure, retry } = useAccount();
  const [news] = useNews();
  return (
    <AccountLayout wide>
      <Title text="notifications.page" />
      {account && <AccountNotices account={account} />}
      {account ? <Notifications news={news} /> : <AccountUnread failure={failure} retry={retry} />}
    </AccountLayout>
  );
}
