import { useMemo } from 'react';
import { useQuery } from '../../../browser/navigation/navigation.tsx';
import { useTypedParameter } from '../../../browser/navigation/typed-parameter.ts';
import { browserStorage } from '../../../browser/platform/storage.ts';
import { wordsFinder } from '../../../contract/plain-text.ts';
import { type Group, groups, platformName, rankOf, type Seen } from './device-state.part.tsx';

const orders = ['state', 'name', 'newest'] as const;
export type Order = (typeof orders)[number];

/** How the owner wants to see the devices; part of the page's address. */
export interface Arrangement {
  readonly find: string;
  readonly group: Group | undefined;
  readonly system: string;
  readonly tag: string;
  /** Whether devices appear below the name of each of their tags. */
  readonly byTag: boolean;
  readonly order: Order;
  readonly reversed: boolean;
  readonly compact: boolean;
}

export type Arranging = ReturnType<typeof useArrangement>;

/** The arrangement in the page's address, and functions that change it. The browser remembers the form of the list. */
export function useArrangement(name: 'dashboard' | 'devices', compactByDefault: boolean) {
  const { query, change } = useQuery();
  const remembered = browserStorage.read(`view.${name}`);
  const isCompact = remembered === undefined ? compactByDefault : remembered === 'compact';
  const [find, setFind] = useTypedParameter('find');
  const address = query.toString();
  const arrangement = useMemo(() => arrangementAt(address, find, isCompact), [address, find, isCompact]);
  return {
    arrangement,
    setFind,
    setGroup: (group: Group | undefined) => change({ state: group }),
    setSystem: (system: string) => change({ system }),
    setTag: (tag: string) => change({ tag }),
    setByTag: (byTag: boolean) => change({ by: byTag ? 'tag' : undefined }),
    /** Sorts by this order, or the other way around if it already does. */
    setOrder(order: Order) {
      const reverse = order === arrangement.order && !arrangement.reversed;
      change({ sort: `${reverse ? '-' : ''}${order}` });
    },
    setCompact(compact: boolean) {
      const view = compact ? 'compact' : 'table';
      browserStorage.write(`view.${name}`, view);
      change({ view });
    },
  };
}

function arrangementAt(address: string, find: string, compactByDefault: boolean): Arrangement {
  const query = new URLSearchParams(address);
  const sort = query.get('sort') ?? '';
  const view = query.get('view');
  return {
    find,
    group: groups.find((group) => group === query.get('state')),
    system: query.get('system') ?? '',
    tag: query.get('tag') ?? '',
    byTag: query.get('by') === 'tag',
    order: orders.find((order) => order === sort.replace(/^-/, '')) ?? 'state',
    reversed: sort.startsWith('-'),
    compact: view === null ? compactByDefault : view === 'compact',
  };
}

/** The devices that match, in order, and how many of each group match the rest of the filters. */
export function arranged(
  all: readonly Seen[],
  arrangement: Arrangement,
  compare: (one: string, other: string) => number,
) {
  const { find, group, system, tag, order, reversed } = arrangement;
  const isFound = wordsFinder(find);
  const matching = all.filter(({ computer: { name, platform, tags } }) => {
    if (tag !== '' && !tags.includes(tag)) return false;
    if (system !== '' && platformName(platform) !== system) return false;
    return find === '' || isFound(`${name} ${platformName(platform)} ${tags.join(' ')}`);
  });
  const byName = (one: Seen, other: Seen) => compare(one.computer.name, other.computer.name);
  const by: Record<Order, (one: Seen, other: Seen) => number> = {
    state: (one, other) => rankOf(one) - rankOf(other) || byName(one, other),
    name: byName,
    newest: (one, other) => newestOf(other) - newestOf(one) || byName(one, other),
  };
  const shown = matching.filter((seen) => group === undefined || seen.group === group).sort(by[order]);
  return { matching, shown: reversed ? shown.toReversed() : shown };
}

const newestOf = ({ computer: { newest } }: Seen): number => (newest ? Date.parse(newest.at) : 0);

/** How many devices each group has. */
export function countsOf(all: readonly Seen[]): Readonly<Record<Group, number>> {
  const counts = { silent: 0, warned: 0, active: 0, off: 0, muted: 0 };
  for (const { group } of all) counts[group] += 1;
  return counts;
}

/** A line of the list: a device, or the heading of a group. */
export type Line =
  | { readonly key: string; readonly seen: Seen }
  /** The empty tag heads the devices without tags. */
  | { readonly key: string; readonly tag: string; readonly count: number }
  | { readonly key: string; readonly group: Group; readonly count: number };

/** All tags of the devices, in alphabetical order. */
export const tagsOf = (all: readonly Seen[], compare: (one: string, other: string) => number): string[] =>
  [...new Set(all.flatMap(({ computer }) => computer.tags))].sort(compare);

/** The groups that need no attention, each below a heading. */
const apart: readonly Group[] = ['off', 'muted'];

/** One line for each device; in the order of their states, with the heading of a group that begins. */
export function ungrouped(shown: readonly Seen[], { group, order, reversed }: Arrangement): Line[] {
  const hasHeadings = group === undefined && order === 'state' && !reversed;
  const counts = countsOf(shown);
  return shown.flatMap((seen, at) => {
    const line = { key: seen.computer.id, seen };
    const begins = hasHeadings && apart.includes(seen.group) && shown[at - 1]?.group !== seen.group;
    return begins ? [{ key: `group ${seen.group}`, group: seen.group, count: counts[seen.group] }, line] : [line];
  });
}

/** The devices below a heading for each tag; devices without one at the end. A device may have several tags. */
export function groupedByTag(shown: readonly Seen[], tags: readonly string[]): Line[] {
  const groups = new Map<string, Seen[]>([...tags, ''].map((tag) => [tag, []]));
  for (const seen of shown) {
    const own = seen.computer.tags.length > 0 ? seen.computer.tags : [''];
    for (const tag of own) groups.get(tag)?.push(seen);
  }
  return [...groups].flatMap(([tag, group]) =>
    group.length === 0
      ? []
      : [
          { key: `tag ${tag}`, tag, count: group.length },
          ...group.map((seen) => ({ key: `${seen.computer.id} ${tag}`, seen })),
        ],
  );
}
