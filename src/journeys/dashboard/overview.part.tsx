import { useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useAccountEvents } from '../../browser/requests/account-events.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { localeOf } from '../../contract/languages.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { GhostRows } from '../../ui/layouts/ghost-rows.tsx';
import { Attention } from './attention.part.tsx';
import { Devices } from './devices/devices.part.tsx';
import { LiveTrouble, useLive } from './live.part.tsx';
import { Notifications } from './notifications.part.tsx';
import { Records } from './records/records.part.tsx';

const contract = () => import('../../contract/computers.ts');

/** Devices, their records and notifications; each is read again whenever the account has news. */
export function Overview() {
  const [news, setNews] = useState(0);
  const tell = () => setNews((before) => before + 1);
  const devices = useLive(news, async (signal) => sendRequest((await contract()).listComputers, { signal }));
  const notices = useLive(news, async (signal) => sendRequest((await contract()).listNotifications, { signal }));
  useAccountEvents(tell);
  const { compare } = new Intl.Collator(localeOf(usePage().language), { numeric: true });

  if (!devices.answer) return <AccountUnread failure={devices.failure} retry={devices.again} />;
  const computers = devices.answer.computers.toSorted((one, other) => compare(one.name, other.name));
  return (
    <>
      <LiveTrouble live={devices} />
      {computers.length === 0 ? (
        <Empty />
      ) : (
        <>
          <Attention computers={computers} at={devices.at} />
          <Devices computers={computers} at={devices.at} changed={tell} />
        </>
      )}
      <Notifications live={notices} changed={tell} />
      {computers.length > 0 && <Records computers={computers} news={news} />}
    </>
  );
}

const Empty = () => (
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
