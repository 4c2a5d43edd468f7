import { useEffect, useMemo, useState } from 'react';
import { useCollation } from '../../../browser/language/language.tsx';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import { useSessionEnd } from '../../../browser/requests/session-requests.ts';
import { Loading } from '../../../ui/feedback/feedback.tsx';
import { AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { countsOf } from '../devices/arrange.part.ts';
import {
  DeviceState,
  type Group,
  groupsShown,
  groupWords,
  Light,
  needsAttention,
  rankOf,
  type Seen,
  Sign,
} from '../devices/device-state.part.tsx';
import { Empty, useFleet } from '../fleet.part.tsx';
import { LiveTrouble } from '../live.part.tsx';
import css from './wall.module.css';

/** All devices on a screen that nobody operates: dark, large, without a menu, and always current. */
export default function Wall() {
  const { settings } = usePage();
  const { failure, retry } = useAccount();
  const { live, seen, now } = useFleet();
  const { brief } = useTimes();
  const isOver = useSessionEnd();
  useWakeLock();
  const problem = failure ?? live.failure;
  return (
    <div className={css.wall}>
      <Loading />
      <header className={css.bar}>
        <h1 className={css.title} tabIndex={-1} translate="no">
          {settings.productName}
        </h1>
        {seen && <Counts all={seen} />}
        <span className={css.controls}>
          <FullScreen />
          <Link to="/dashboard/" text="dashboard.page" />
        </span>
        {seen && <time className={css.clock}>{brief(now)}</time>}
      </header>
      <main id="main" className={css.main}>
        {isOver && <Text id="failure.session_ended" />}
        {!isOver && !seen && <AccountUnread failure={problem} retry={failure ? retry : live.again} />}
        {!isOver && seen && (
          <>
            <LiveTrouble live={live} />
            {seen.length === 0 ? <Empty /> : <Tiles all={seen} isStale={live.failure !== undefined} />}
          </>
        )}
      </main>
    </div>
  );
}

/** Keeps the screen on while the page is visible, where the browser can. */
function useWakeLock(): void {
  useEffect(() => {
    // A lock ends when the page is hidden.
    const keep = () => {
      if (document.visibilityState === 'visible' && 'wakeLock' in navigator)
        navigator.wakeLock.request('screen').catch(() => undefined);
    };
    keep();
    document.addEventListener('visibilitychange', keep);
    return () => document.removeEventListener('visibilitychange', keep);
  }, []);
}

function FullScreen() {
  const [isOffered, offer] = useState(false);
  useEffect(() => offer(document.fullscreenEnabled), []);
  if (!isOffered) return null;
  return <TextButton onClick={() => void document.documentElement.requestFullscreen()} label="wall.full_screen" />;
}

function Counts({ all }: { all: readonly Seen[] }) {
  const counts = countsOf(all);
  return (
    <ul className={css.counts}>
      {groupsShown
        .filter((group) => counts[group] > 0)
        .map((group) => (
          <li key={group}>
            <Sign group={group} /> <Text id={groupWords[group]} values={{ count: counts[group] }} />
          </li>
        ))}
    </ul>
  );
}

/** Up to this many devices, tiles have this size; more fit only as squares without names. */
const sizes = [
  { upTo: 12, look: css.huge },
  { upTo: 30, look: css.large },
  { upTo: 80, look: css.medium },
  { upTo: 220, look: css.small },
];
/** More devices in need of attention do not get a larger tile: if everything is large, nothing is. */
const maxLarger = 12;

const looks: Record<Group, string | undefined> = {
  silent: css.silent,
  warned: css.warned,
  active: css.active,
  off: css.off,
  muted: css.off,
};

function Tiles({ all, isStale }: { all: readonly Seen[]; isStale: boolean }) {
  const size = sizes.find(({ upTo }) => all.length <= upTo)?.look ?? css.dense;
  const compare = useCollation();
  const shown = useMemo(
    () => all.toSorted((one, other) => rankOf(one) - rankOf(other) || compare(one.computer.name, other.computer.name)),
    [all, compare],
  );
  return (
    <ul className={`${css.tiles} ${size} ${isStale ? css.stale : ''}`}>
      {shown.map((seen, place) => {
        const { id, name } = seen.computer;
        const isLarger = place < maxLarger && needsAttention(seen);
        return (
          <li key={id} className={`${css.tile} ${looks[seen.group]} ${isLarger ? css.larger : ''}`}>
            <Link to={`/devices/${encodeURIComponent(id)}/`} className={css.link} title={name}>
              <Light seen={seen} />
              <bdi className={css.name}>{name}</bdi>
            </Link>
            <span className={css.state}>
              <DeviceState seen={seen} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
