import { useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import type { RequestFailure } from '../../browser/requests/request-status.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { AccountNotices } from '../../journeys/account/notices/account-notices.part.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { AccountLayout, AccountUnread } from '../../ui/layouts/account-layout.tsx';
import { Sheet, Title } from '../../ui/layouts/card.tsx';
import { PageHead } from '../../ui/layouts/page-head.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { IncidentTitle } from '../alarms/incidents/incident-title.part.tsx';
import type { AlarmKind } from '../contract/alarm-kinds.ts';
import type { listComputers } from '../contract/computers.ts';
import css from './dashboard.module.css';
import { DeviceTable } from './devices/device-list.part.tsx';
import {
  type Computer,
  DeviceState,
  Light,
  needsAttention,
  rankOf,
  type Seen,
  Sign,
} from './devices/device-state.part.tsx';
import { Empty, type Fleet, useFleet } from './fleet.part.tsx';
import { LiveTrouble } from './live.part.tsx';
import { LongList } from './long-list.part.tsx';
import { NewestRecords } from './records/record-rows.part.tsx';

/** The dashboard, the first page for signed-in users. */
export default function Dashboard() {
  const { account, failure, retry } = useAccount();
  const fleet = useFleet();
  // The card that replaces the list then has the button.
  const isEmpty = fleet.seen?.length === 0;
  return (
    <AccountLayout wide>
      <PageHead inMenu actions={!isEmpty && <ButtonLink to="/computers/add/" label="dashboard.add" narrow />}>
        <Title>
          {/* The first proof of an address clears a name that a stranger may have entered. */}
          {account?.name ? (
            <Text id="dashboard.hello" values={{ name: account.name }} dir="auto" />
          ) : (
            <Text id="dashboard.page" />
          )}
        </Title>
      </PageHead>
      {/* Only with what is below them, which they would otherwise move. */}
      {account && (fleet.seen || fleet.live.failure) && <AccountNotices account={account} />}
      <Overview fleet={fleet} failure={account ? undefined : failure} retry={retry} />
    </AccountLayout>
  );
}

/** More devices than this appear as tiles at first, so that sixty fit on a screen. */
const maxRows = 12;

interface OverviewProps {
  readonly fleet: Fleet;
  /** Why the account could not be read. */
  readonly failure: RequestFailure | undefined;
  readonly retry: () => void;
}

/** What needs attention, all devices, and their newest records. */
function Overview({ fleet, failure, retry }: OverviewProps) {
  const { live, seen, now, news } = fleet;
  if (failure) return <AccountUnread failure={failure} retry={retry} />;
  if (!seen) return <AccountUnread failure={live.failure} retry={live.again} />;
  const names = new Map(seen.map(({ computer }) => [computer.id, computer.name]));
  return (
    <>
      <LiveTrouble live={live} />
      {seen.length === 0 ? (
        <Empty />
      ) : (
        <div className={css.board}>
          <Attention all={seen} settling={live.answer?.settling ?? []} />
          <div className={css.fleet}>
            <DeviceTable on="dashboard" all={seen} at={now} compactByDefault={seen.length > maxRows} />
          </div>
          <NewestRecords names={names} news={news} />
        </div>
      )}
    </>
  );
}

/** What the device wrote about its current warning, such as how much of a disk is left. */
const Details = ({ computer: { warnings, newest } }: { computer: Computer }) =>
  newest && warnings.some((warning) => warning === newest.kind) && newest.text ? (
    <bdi className={css.details}>{newest.text}</bdi>
  ) : null;

/** So narrow that the fleet, which begins with the same devices, would be below the first screen. */
const phone = '(width < 40rem)';
const phoneLines = (count: number): number => (count <= 2 ? 2 : 1);

/** The incidents of a device that nobody has acknowledged. */
const unacknowledged = ({ computer: { incidents } }: Seen) =>
  incidents.filter(({ acknowledged_at: at }) => at === null);

/** A line for each incident, with the devices in it. */
function incidentsIn(all: readonly Seen[]) {
  const found = new Map<string, { readonly id: string; readonly kind: AlarmKind; readonly devices: Seen[] }>();
  for (const seen of all.toSorted(byNeed))
    for (const { id, kind } of unacknowledged(seen)) {
      const incident = found.get(id) ?? { id, kind, devices: [] };
      found.set(id, incident);
      incident.devices.push(seen);
    }
  return [...found.values()];
}

/** Those in need first, the newest silence first. */
const byNeed = (one: Seen, other: Seen): number => rankOf(one) - rankOf(other) || one.silentFor - other.silentFor;

type Settling = ResponseBody<typeof listComputers>['settling'];

/**
 * Incidents that nobody has acknowledged, silent devices, devices with warnings, then incidents that are about to end;
 * empty if nothing needs attention.
 */
function Attention({ all, settling }: { all: readonly Seen[]; settling: Settling }) {
  const incidents = incidentsIn(all);
  const wanting = all.filter((seen) => needsAttention(seen) && unacknowledged(seen).length === 0).sort(byNeed);
  const count = incidents.length + wanting.length + settling.length;
  const [isPhone] = useState(() => matchMedia(phone).matches);
  if (count === 0) return null;
  return (
    <LongList
      className={css.list}
      atFirst={isPhone ? phoneLines(count) : 3}
      items={[
        ...incidents.flatMap(({ id, kind, devices: [first, ...others] }) =>
          first ? [<IncidentLine key={id} {...{ id, kind, first, devices: others.length + 1 }} />] : [],
        ),
        ...wanting.map((seen) => (
          <li key={seen.computer.id} className={css.item}>
            <Light seen={seen} />
            <Link to={`/devices/${encodeURIComponent(seen.computer.id)}/`} className={css.name}>
              <bdi>{seen.computer.name}</bdi>
            </Link>
            <span className={css.words}>
              <DeviceState seen={seen} />
              <Details computer={seen.computer} />
            </span>
          </li>
        )),
        ...settling.map((incident) => <SettlingLine key={incident.id} incident={incident} />),
      ]}
      more={(count, show) =>
        count > 0 && (
          <TextButton onClick={show}>
            <Text id="dashboard.attention_more" values={{ count }} />
          </TextButton>
        )
      }
      around={(list, more) => (
        <Sheet title="dashboard.attention" aside={more}>
          {list}
        </Sheet>
      )}
    />
  );
}

interface IncidentLineProps {
  readonly id: string;
  readonly kind: AlarmKind;
  readonly first: Seen;
  readonly devices: number;
}

/** Leads to the page where it can be acknowledged. */
const IncidentLine = ({ id, kind, first, devices }: IncidentLineProps) => (
  <li className={css.item}>
    <Light seen={first} />
    <Link to={`/alarms/?incident=${encodeURIComponent(id)}`} className={css.name}>
      <IncidentTitle incident={{ kind, devices, first: first.computer.name, unstable: false }} />
    </Link>
    <span className={css.words}>
      <DeviceState seen={first} />
      <Details computer={first.computer} />
    </span>
  </li>
);

/** Nobody needs to do anything, but it is still open. */
function SettlingLine({ incident }: { incident: Settling[number] }) {
  const { brief } = useTimes();
  return (
    <li className={css.item}>
      <Sign group="active" />
      <Link to={`/alarms/?incident=${encodeURIComponent(incident.id)}`} className={css.name}>
        <IncidentTitle incident={incident} />
      </Link>
      <span className={css.words}>
        <span>
          <Text id="dashboard.settling" values={{ when: brief(incident.ends_at) }} dir="auto" />
        </span>
      </span>
    </li>
  );
}
