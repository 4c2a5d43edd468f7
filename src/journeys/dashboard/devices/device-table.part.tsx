import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useCollation } from '../../../browser/language/collation.ts';
import { Sheet } from '../../../ui/layouts/sheet.tsx';
import { arranged, useArrangement } from './arrange.part.ts';
import { groupedByTag, tagsOf, ungrouped } from './by-tag.part.ts';
import { DeviceFilters } from './device-filters.part.tsx';
import { DeviceList } from './device-list.part.tsx';
import type { Seen } from './device-state.part.tsx';

/** Up to this many devices need no search and no filters. */
const fewDevices = 6;

interface DeviceTableProps {
  /** Its heading; none on a page about devices alone. */
  readonly title?: 'dashboard.devices';
  readonly all: readonly Seen[];
  /** The server's time in milliseconds since the epoch. */
  readonly at: number;
  readonly compactByDefault: boolean;
  /** Below the devices. */
  readonly children?: ReactNode;
}

/** The devices that match the filters in the page's address, as a table or as tiles. */
export function DeviceTable({ title, all, at, compactByDefault, children }: DeviceTableProps) {
  const arranging = useArrangement(compactByDefault);
  const { setOrder } = arranging;
  // While someone types, the list follows in tasks that are too short to delay the next letter.
  const arrangement = useDeferredValue(arranging.arrangement);
  const compare = useCollation();
  const { matching, shown, tags, lines } = useMemo(() => {
    const found = arranged(all, arrangement, compare);
    const known = tagsOf(all, compare);
    return {
      ...found,
      tags: known,
      lines: arrangement.byTag ? groupedByTag(found.shown, known) : ungrouped(found.shown),
    };
  }, [all, arrangement, compare]);
  const { group, system, tag, byTag, find, compact } = arrangement;
  const isArranged = [group, system, tag, byTag, find, compact !== compactByDefault].some(Boolean);
  const hasFilters = all.length > fewDevices || isArranged;
  // Filters that were there stay, since the user may be about to press one.
  const [hadFilters, setHadFilters] = useState(hasFilters);
  if (hasFilters && !hadFilters) setHadFilters(true);
  return (
    <Sheet title={title}>
      {(hasFilters || hadFilters) && (
        <DeviceFilters all={all} tags={tags} matching={matching} found={shown.length} {...arranging} />
      )}
      <DeviceList
        lines={lines}
        selection={`${group} ${system} ${tag} ${byTag} ${find} ${compact}`}
        {...{ at, arrangement, setOrder }}
      >
        {children}
      </DeviceList>
    </Sheet>
  );
}
