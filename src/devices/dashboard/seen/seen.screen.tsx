import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useGradually } from '../../../browser/platform/timers.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { useRead } from '../../../journeys/account/read.part.tsx';
import { ConsolePage, ConsoleUnread } from '../../../journeys/operators/console/layout/console-page.part.tsx';
import { SeenAccount } from '../../../journeys/operators/console/person/seen-account.part.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { Sheet, SheetEmpty } from '../../../ui/layouts/card.tsx';
import { seeDevices } from '../../contract/seen-devices.ts';
import { DeviceState, Light, platformName, rankOf, type Seen, seenAfter } from '../devices/device-state.part.tsx';
import { Strip } from '../devices/strip.part.tsx';
import { RecordWords } from '../records/record-rows.part.tsx';
import css from './seen.module.css';

/** What a person sees, for operators: the same data by the same components, without anything to press. */
export default function SeenPage() {
  const { params, setTitle, settings } = usePage();
  const id = params.id ?? '';
  const [name, setName] = useState<string>();
  useEffect(() => {
    setTitle(name && `${name} – ${settings.productName}`);
    return () => setTitle(undefined);
  }, [name, setTitle, settings]);
  return (
    <ConsolePage
      title={<Text id="console_seen.page" />}
      lead={<Link to={`/console/people/${id}/`}>{name ? <bdi>{name}</bdi> : <Text id="console_person.page" />}</Link>}
    >
      {() => (
        <>
          <Notice kind="info" text="console_seen.lead" />
          <SeenAccount key={id} id={id} named={setName}>
            {settings.devices && <SeenDevices id={id} />}
          </SeenAccount>
        </>
      )}
    </ConsolePage>
  );
}

/** The devices, those first that need attention, and their newest records. */
function SeenDevices({ id }: { id: string }) {
  const { when } = useTimes();
  const read = useRead(async (signal) => {
    const { computers, records } = await sendRequest(seeDevices, { params: { id }, signal });
    const names = new Map(computers.map((one) => [one.id, one.name]));
    const devices = computers.map((one) => seenAfter(one, 0)).sort((one, other) => rankOf(one) - rankOf(other));
    return { devices, records: records.map((record) => ({ ...record, name: names.get(record.computer) })) };
  });
  const drawn = useGradually({ count: read.response?.devices.length ?? 0 });
  // The account around says that it is gone.
  if (read.failure?.code === 'not_found') return null;
  if (!read.response) return <ConsoleUnread failure={read.failure} retry={read.again} />;
  const { devices, records } = read.response;
  return (
    <>
      <Sheet title="devices.page">
        {devices.length === 0 && <SheetEmpty id="dashboard.empty_title" />}
        <ul className={css.list}>
          {devices.slice(0, drawn).map((seen) => (
            <Device key={seen.computer.id} seen={seen} />
          ))}
        </ul>
      </Sheet>
      {devices.length > 0 && (
        <Sheet title="dashboard.records">
          {records.length === 0 && <SheetEmpty id="dashboard.records_none" />}
          <ul className={css.list}>
            {records.map(({ id, at, kind, text, name }) => (
              <li key={id} className={css.record}>
                <time className={css.detail} dateTime={at}>
                  {when(at)}
                </time>
                <span className={css.name}>
                  <bdi>{name}</bdi>
                </span>
                <span>
                  <RecordWords kind={kind} text={text} />
                </span>
              </li>
            ))}
          </ul>
        </Sheet>
      )}
    </>
  );
}

function Device({ seen }: { seen: Seen }) {
  const { name, platform, tags, signs } = seen.computer;
  return (
    <li className={css.device}>
      <Light seen={seen} />
      <span className={css.words}>
        <bdi className={css.name}>{name}</bdi>
        <bdi className={css.detail} translate="no">
          {platformName(platform)}
        </bdi>
        {tags.map((tag) => (
          <bdi key={tag} className={css.detail}>
            {tag}
          </bdi>
        ))}
      </span>
      <span>
        <DeviceState seen={seen} />
      </span>
      <Strip signs={signs} />
    </li>
  );
}
