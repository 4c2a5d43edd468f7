import { useAccount } from '../../../browser/requests/account.ts';
import { AccountNotices } from '../../../journeys/account/notices/account-notices.part.tsx';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Title } from '../../../ui/layouts/card.tsx';
import { Empty, useFleet } from '../fleet.part.tsx';
import { LiveTrouble } from '../live.part.tsx';
import { RecordBrowser } from './record-browser.part.tsx';

/** The records of all devices, with filters in the page's address. */
export default function Records() {
  const { account, failure, retry } = useAccount();
  const { live, news } = useFleet();
  const unread = account ? undefined : failure;
  return (
    <AccountLayout wide>
      <Title text="records.page" />
      {account && <AccountNotices account={account} />}
      {(unread || !live.answer) && (
        <AccountUnread failure={unread ?? live.failure} retry={unread ? retry : live.again} />
      )}
      {live.answer && !unread && (
        <>
          <LiveTrouble live={live} />
          {live.answer.computers.length === 0 ? (
            <Empty />
          ) : (
            <RecordBrowser computers={live.answer.computers} news={news} />
          )}
        </>
      )}
    </AccountLayout>
  );
}
