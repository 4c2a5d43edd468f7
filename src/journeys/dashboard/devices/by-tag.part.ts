import type { Seen } from './device-state.part.tsx';

/** A line of the list: a device, or the heading of a group. */
export type Line =
  | { readonly key: string; readonly seen: Seen }
  /** The empty tag heads the devices without tags. */
  | { readonly key: string; readonly tag: string; readonly count: number };

/** All tags of the devices, in alphabetical order. */
export const tagsOf = (all: readonly Seen[], compare: (one: string, other: string) => number): string[] =>
  [...new Set(all.flatMap(({ computer }) => computer.tags))].sort(compare);

/** One line for each device. */
export const ungrouped = (shown: readonly Seen[]): Line[] => shown.map((seen) => ({ key: seen.computer.id, seen }));

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
