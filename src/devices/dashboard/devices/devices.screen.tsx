import { useEffect } from 'react';
import { Paragraph } from '../../../browser/language/text.tsx';
import { useCell } from '../../../browser/platform/storage.ts';
import { useAccount } from '../../../browser/requests/account.ts';
import { AccountNotices } from '../../../journeys/account/notices/account-notices.part.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Title } from '../../../ui/layouts/card.tsx';
import { PageHead } from '../../../ui/layouts/page-head.tsx';
import { removedDevice } from '../device/device-actions.part.tsx';
import { Empty, useFleet } from '../fleet.part.tsx';
import { LiveTrouble } from '../live.part.tsx';
import { DeviceTable } from './device-list.part.tsx';

/** All devices, with filters in the page's address. */
export default function Devices() {
  const { account, failure, retry } = useAccount();
  const { live, seen, now } = useFleet();
  const removed = useCell(removedDevice, () => undefined);
  useEffect(() => () => removedDevice.write(undefined), []);
  const unread = account ? undefined : failure;
  // The card that replaces the list then has the button.
  const isEmpty = seen?.length === 0;
  return (
    <AccountLayout wide>
      <PageHead inMenu actions={!isEmpty && <ButtonLink to="/computers/add/" label="dashboard.add" narrow />}>
        <Title text="devices.page" />
      </PageHead>
      {account && <AccountNotices account={account} />}
      {removed && (
        <Notice kind="success" role="status">
          <Paragraph id="dashboard.notice_removed" values={{ name: removed }} dir="auto" />
        </Notice>
      )}
      {(unread || !seen) && <AccountUnread failure={unread ?? live.failure} retry={unread ? retry : live.again} />}
      {seen && !unread && (
        <>
          <LiveTrouble live={live} />
          {seen.length === 0 ? <Empty /> : <DeviceTable on="devices" all={seen} at={now} compactByDefault={false} />}
        </>
      )}
    </AccountLayout>
  );
}
