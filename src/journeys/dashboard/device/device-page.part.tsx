import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useNow, useTimes } from '../../../browser/language/times.ts';
import { focusHeading } from '../../../browser/navigation/focus-heading.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { readComputer } from '../../../contract/computers/computers.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { AccountUnread } from '../../../ui/layouts/account/account-unread.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { PageHead } from '../../../ui/layouts/page-head.tsx';
import { Title } from '../../../ui/layouts/title.tsx';
import { AccountNotices } from '../../account/notices/account-notices.part.tsx';
import { DeviceAlarmsSheet } from '../../alarms/exceptions/device-alarms-sheet.part.tsx';
import { DeviceState, Light, type Seen, seenAfter } from '../devices/device-state.part.tsx';
import { platformName } from '../devices/platform.part.tsx';
import { useNews } from '../fleet.part.ts';
import { LiveTrouble, useLive } from '../live.part.tsx';
import { NewestRecords } from '../records/newest-records.part.tsx';
import { DayChart } from './day-chart.part.tsx';
import { DeviceActions } from './device-actions.part.tsx';
import css from './device-page.module.css';
import { DeviceTags } from './device-tags.part.tsx';
import { MonthChart } from './month-chart.part.tsx';

/** The page of a device. Once the account no longer has the device, the page says so and requests nothing more. */
export function DevicePage({ id }: { id: string }) {
  const [isGone, setGone] = useState(false);
  return isGone ? <Gone /> : <LiveDevice id={id} gone={() => setGone(true)} />;
}

/** The device was removed, perhaps in another tab. */
function Gone() {
  // The focused element disappeared with the device.
  useEffect(() => {
    if (document.activeElement === document.body) focusHeading();
  }, []);
  return (
    <>
      <Path name={undefined} />
      <Title>
        <Text id="devices.page" />
      </Title>
      <Card>
        <p role="status">
          <Text id="device.gone" />
        </p>
        <ButtonLink to="/devices/" label="devices.all" quiet narrow />
      </Card>
    </>
  );
}

/** A device: its state, its last day and month, its alarms and its records. */
function LiveDevice({ id, gone }: { id: string; gone: () => void }) {
  const { account, failure, retry } = useAccount();
  const [news, tell] = useNews();
  const live = useLive(news, async (signal) => {
    return sendRequest(readComputer, { params: { id }, signal });
  });
  const [shownName, setShownName] = useState<string>();
  const since = Math.max(0, useNow() - live.at);
  const { answer } = live;
  const read = answer?.computer.name;
  // Another tab may rename the device again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the page has read another name
  useEffect(() => setShownName(undefined), [read]);
  const name = shownName ?? read;
  useTabTitle(name);
  const unread = account ? undefined : failure;
  const isMissing = live.failure?.code === 'not_found';
  const [isRemoving, setRemoving] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a removal on this page leads to the list by itself
  useEffect(() => {
    if (isMissing && !isRemoving) gone();
  }, [isMissing, isRemoving]);
  if (unread || !answer) {
    return (
      <>
        <Path name={undefined} />
        <Title>
          <Text id="devices.page" />
        </Title>
        {!isMissing && <AccountUnread failure={unread ?? live.failure} retry={unread ? retry : live.again} />}
      </>
    );
  }
  const seen = seenAfter(answer.computer, since);
  const at = Date.parse(answer.at);
  return (
    <>
      <Path name={name} />
      <PageHead
        lead={<Facts seen={seen} />}
        actions={
          <DeviceActions
            id={id}
            name={name ?? ''}
            removing={setRemoving}
            renamed={(next) => {
              setShownName(next);
              tell();
            }}
          />
        }
      >
        <Title>
          <span className={css.name}>
            <Light seen={seen} />
            <bdi>{name}</bdi>
          </span>
        </Title>
      </PageHead>
      <DeviceTags id={id} tags={answer.computer.tags} changed={tell} />
      {account && <AccountNotices account={account} />}
      {!isMissing && <LiveTrouble live={live} />}
      <DayChart signs={answer.computer.signs} at={at} />
      <MonthChart history={answer.history} at={at} />
      <DeviceAlarmsSheet id={id} tags={answer.computer.tags} />
      <NewestRecords computer={id} news={news} />
    </>
  );
}

/** The way back to all devices. */
const Path = ({ name }: { name: string | undefined }) => (
  <p className={css.path}>
    <Link to="/devices/">
      <Text id="devices.page" />
    </Link>
    {name !== undefined && (
      <span className={css.here}>
        <bdi>{name}</bdi>
      </span>
    )}
  </p>
);

function useTabTitle(name: string | undefined): void {
  const { setStep, settings } = usePage();
  const title = name === undefined ? undefined : `${name} – ${settings.productName}`;
  useEffect(() => {
    setStep(title);
    return () => setStep(undefined);
  }, [title, setStep]);
}

function Facts({ seen }: { seen: Seen }) {
  const { day } = useTimes();
  const { platform, version, created_at } = seen.computer;
  return (
    <span className={css.facts}>
      <span className={css.state}>
        <DeviceState seen={seen} />
      </span>
      <bdi translate="no">{platformName(platform)}</bdi>
      {version !== null && (
        <span>
          <Text id="device.version" values={{ version }} />
        </span>
      )}
      <span>
        <Text id="device.added" values={{ date: day(created_at) }} dir="auto" />
      </span>
    </span>
  );
}
