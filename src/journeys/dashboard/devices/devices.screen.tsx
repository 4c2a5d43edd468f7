import { useEffect } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useCell } from '../../../browser/platform/cell.ts';
import { useAccount } from '../../../browser/requests/account.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { AccountLayout } from '../../../ui/layouts/account/account-layout.tsx';
import { AccountUnread } from '../../../ui/layouts/account/account-unread.tsx';
import { PageHead } from '../../../ui/layouts/page-head.tsx';
import { Title } from '../../../ui/layouts/title.tsx';
import { AccountNotices } from '../../account/notices/account-notices.part.tsx';
import { removedDevice } from '../device/removed-device.part.ts';
import { useFleet } from '../fleet.part.ts';
import { LiveTrouble } from '../live.part.tsx';
import { Empty } from '../overview.part.tsx';
import { DeviceTable } from './device-table.part.tsx';

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
    <AccountLayout>
      <PageHead actions={!isEmpty && <ButtonLink to="/computers/add/" label="dashboard.add" narrow />}>
        <Title>
          <Text id="devices.page" />
        </Title>
      </PageHead>
      {account && <AccountNotices account={account} />}
      {removed && (
        <Notice kind="success" role="status">
          <p>
            <Text id="dashboard.notice_removed" values={{ name: removed }} dir="auto" />
          </p>
        </Notice>
      )}
      {(unread || !seen) && <AccountUnread failure={unread ?? live.failure} retry={unread ? retry : live.again} />}
      {seen && !unread && (
        <>
          <LiveTrouble live={live} />
          {seen.length === 0 ? <Empty /> : <DeviceTable all={seen} at={now} compactByDefault={false} />}
        </>
      )}
    </AccountLayout>
  );
}
