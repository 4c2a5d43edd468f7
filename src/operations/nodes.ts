import { iso, isoOrNull } from '../contract/units.ts';
import { usableKeys } from '../store/access/keys.ts';
import type { Store } from '../store/database.ts';
import { listNodes } from '../store/operators/nodes.ts';

/** The nodes of the last day, the oldest first. */
export const describeNodes = async (store: Store) =>
  (await listNodes(store)).map(({ name, version, started_at, seen_at }) => ({
    ...{ name, version },
    started_at: iso(started_at),
    seen_at: iso(seen_at),
  }));

/** The keys that sign sessions and proofs, the newest first, without their secrets. */
export const describeSigningKeys = async (store: Store, now: number) =>
  (await usableKeys(store, now)).map(({ id, purpose, created_at, retired_at }) => ({
    ...{ id, purpose },
    created_at: iso(created_at),
    verifies_until: isoOrNull(retired_at),
  }));
