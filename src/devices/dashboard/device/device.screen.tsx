import { useEffect, useState } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useNow, useTimes } from '../../../browser/language/times.ts';
import { focusHeading } from '../../../browser/navigation/history.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { AccountNotices } from '../../../journeys/account/notices/account-notices.part.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Card, Columns, Title } from '../../../ui/layouts/card.tsx';
import { PageHead, WayBack } from '../../../ui/layouts/page-head.tsx';
import { DeviceAlarmsSheet } from '../../alarms/device-alarms.part.tsx';
import { readComputer } from '../../contract/computers.ts';
import { DeviceState, Light, platformName, type Seen, seenAfter } from '../devices/device-state.part.tsx';
import { LiveTrouble, useLive, useNews } from '../live.part.tsx';
import { NewestRecords } from '../records/record-rows.part.tsx';
import { DayChart, MonthChart } from './charts.part.tsx';
import css from './device.module.css';
import { DeviceActions, DeviceTags } from './device-actions.part.tsx';
import { ReadingsSheet } from './readings.part.tsx';

/** The page of one device. */
export default function Device() {
  const { id = '' } = usePage().params;
  return (
    <AccountLayout wide>
      <DevicePage key={id} id={id} />
    </AccountLayout>
  );
}

/** The page of a device. Once the account no longer has the device, the page says so and requests nothing more. */
function DevicePage({ id }: { id: string }) {
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
      <WayBack to="/devices/" text="devices.page" />
      <Title text="devices.page" />
      <Card>
        <Paragraph role="status" id="device.gone" />
        <ButtonLink to="/devices/" label="devices.all" quiet narrow />
      </Card>
    </>
  );
}

/** A device: its state, its last day and month, its alarms and its records. */
function LiveDevice({ id, gone }: { id: string; gone: () => void }) {
  const { account, failure, retry } = useAccount();
  const ask = (signal: AbortSignal) => sendRequest(readComputer, { params: { id }, signal });
  const [news, notify] = useNews(ask);
  const live = useLive(news, ask);
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
        <WayBack to="/devices/" text="devices.page" />
        <Title text="devices.page" />
        {!isMissing && <AccountUnread failure={unread ?? live.failure} retry={unread ? retry : live.again} />}
      </>
    );
  }
  const seen = seenAfter(answer.computer, since);
  const at = Date.parse(answer.at);
  const added = Date.parse(answer.computer.created_at);
  return (
    <>
      <WayBack to="/devices/" text="devices.page" />
      <PageHead
        lead={<Facts seen={seen} />}
        actions={
          <DeviceActions
            id={id}
            name={name ?? ''}
            removing={setRemoving}
            renamed={(next) => {
              setShownName(next);
              notify();
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
      {answer.computer.copied && <Notice kind="info" text="device.copied" />}
      <DeviceTags id={id} tags={answer.computer.tags} changed={notify} />
      {account && <AccountNotices account={account} />}
      {!isMissing && <LiveTrouble live={live} />}
      <Columns
        beside={
          <>
            <DeviceAlarmsSheet id={id} tags={answer.computer.tags} />
            <NewestRecords computer={id} news={news} />
          </>
        }
      >
        {answer.readings && answer.trends && (
          <ReadingsSheet readings={answer.readings} trends={answer.trends} at={at} />
        )}
        <DayChart signs={answer.computer.signs} added={added} at={at} />
        <MonthChart history={answer.history} added={added} at={at} />
      </Columns>
    </>
  );
}

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
