import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { AccountUnread } from '../../ui/layouts/account/account-unread.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { GhostRows } from '../../ui/layouts/ghost-rows.tsx';
import { Attention } from './attention.part.tsx';
import { DeviceTable } from './devices/device-table.part.tsx';
import type { Fleet } from './fleet.part.ts';
import { LiveTrouble } from './live.part.tsx';
import { Notifications } from './notifications.part.tsx';
import css from './overview.module.css';
import { NewestRecords } from './records/newest-records.part.tsx';

/** More devices than this appear as tiles at first, so that sixty fit on a screen. */
const mostRows = 24;

interface OverviewProps {
  readonly fleet: Fleet;
  /** Why the account could not be read. */
  readonly failure: RequestFailure | undefined;
  readonly retry: () => void;
}

/** What needs attention, all devices, their newest records, and notifications. */
export function Overview({ fleet, failure, retry }: OverviewProps) {
  const { live, seen, now, news, reread } = fleet;
  if (failure) return <AccountUnread failure={failure} retry={retry} />;
  if (!seen) return <AccountUnread failure={live.failure} retry={live.again} />;
  const names = new Map(seen.map(({ computer }) => [computer.id, computer.name]));
  return (
    <>
      <LiveTrouble live={live} />
      {seen.length === 0 ? (
        <Empty />
      ) : (
        <>
          <Attention all={seen} />
          <DeviceTable title="dashboard.devices" all={seen} at={now} compactByDefault={seen.length > mostRows}>
            <Link to="/devices/">
              <Text id="devices.all" />
            </Link>
          </DeviceTable>
        </>
      )}
      <div className={seen.length > 0 ? css.pair : css.single}>
        {seen.length > 0 && <NewestRecords names={names} news={news} />}
        <Notifications news={news} changed={reread} />
      </div>
    </>
  );
}

/** Replaces the list of devices while there are none. */
export const Empty = () => (
  <Card>
    <GhostRows />
    <h2>
      <Text id="dashboard.empty_title" />
    </h2>
    <p>
      <Text id="dashboard.empty_text" />
    </p>
    <ButtonLink to="/computers/add/" label="dashboard.add" narrow />
  </Card>
);
