import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
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
import { type WallGrid, wallGrid } from './wall-grid.part.ts';

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

/** More devices in need of attention do not get a larger tile, nor most of a few: if everything is large, nothing is. */
const maxLarger = (count: number): number => Math.min(12, Math.floor(count / 5));

const looks: Record<Group, string | undefined> = {
  silent: css.silent,
  warned: css.warned,
  active: css.active,
  off: css.off,
  muted: css.off,
};

function Tiles({ all, isStale }: { all: readonly Seen[]; isStale: boolean }) {
  const compare = useCollation();
  const shown = useMemo(
    () => all.toSorted((one, other) => rankOf(one) - rankOf(other) || compare(one.computer.name, other.computer.name)),
    [all, compare],
  );
  const larger = Math.min(maxLarger(all.length), all.filter(needsAttention).length);
  const { list, shows } = useGrid({ tiles: all.length, larger });
  return (
    <ul ref={list} className={`${css.tiles} ${isStale ? css.stale : ''}`}>
      {shown.map((seen, place) => {
        const { id, name } = seen.computer;
        const isLarger = place < larger;
        return (
          <li key={id} className={`${css.tile} ${looks[seen.group]} ${isLarger ? css.larger : extents[shows]}`}>
            <Link to={`/devices/${encodeURIComponent(id)}/`} className={css.link} title={name}>
              <Light seen={seen} />
              <bdi className={css.name}>{name}</bdi>
            </Link>
            <span className={css.state}>
              <DeviceState seen={seen} stacked />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

const extents: Record<WallGrid['shows'], string | undefined> = {
  state: undefined,
  name: css.named,
  nothing: css.square,
};

/** Arranges the tiles of a list for its size. */
function useGrid({ tiles, larger }: { tiles: number; larger: number }) {
  const list = useRef<HTMLUListElement>(null);
  const [{ width, height }, setSize] = useState({ width: innerWidth, height: innerHeight });
  useLayoutEffect(() => {
    if (!list.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect));
    observer.observe(list.current);
    return () => observer.disconnect();
  }, []);
  const grid = useMemo(() => wallGrid({ width, height, tiles, larger }), [width, height, tiles, larger]);
  // Not by an attribute, which the CSP forbids.
  useLayoutEffect(() => {
    for (const name of ['columns', 'wide', 'high'] as const)
      list.current?.style.setProperty(`--${name}`, String(grid[name]));
  }, [grid]);
  return { list, shows: grid.shows };
}
