import { Text } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { countsOf } from './arrange.part.ts';
import type { Group, Seen } from './device-state.part.tsx';
import css from './summary.module.css';

export const groupWords = {
  active: 'dashboard.count_active',
  low: 'dashboard.count_low',
  silent: 'dashboard.count_silent',
  off: 'dashboard.count_off',
  muted: 'dashboard.count_muted',
} as const satisfies Record<Group, string>;

const looks: Record<Group, string | undefined> = {
  active: css.active,
  low: css.low,
  silent: css.silent,
  off: css.off,
  muted: css.mute,
};
/** The groups in the order in which counts and filters show them. */
export const groupsShown: readonly Group[] = ['active', 'low', 'silent', 'off', 'muted'];

/** All devices in one line: how many there are, and how many in each state, with links to those. */
export function Summary({ all }: { all: readonly Seen[] }) {
  const counts = countsOf(all);
  return (
    <span className={css.line}>
      <span className={css.total}>
        <Text id="dashboard.count_devices" values={{ count: all.length }} />
      </span>
      {groupsShown
        .filter((group) => counts[group] > 0)
        .map((group) => (
          <Link key={group} to={`/devices/?state=${group}`} className={`${css.part} ${looks[group]}`}>
            <Text id={groupWords[group]} values={{ count: counts[group] }} />
          </Link>
        ))}
    </span>
  );
}
