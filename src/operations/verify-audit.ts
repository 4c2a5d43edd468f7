import type { Store } from '../store/database.ts';
import {
  type AuditRow,
  auditEntriesAfter,
  deletedSubject,
  hashOf,
  hashOfDetails,
  lastCheckpoint,
  listAuditEntries,
  unlinkedEntries,
} from '../store/operators/audit-log.ts';

interface Verified {
  /** How many entries form the chain. */
  readonly entries: number;
  /** The position and hash of the newest entry; whoever keeps them can prove later that no entry was removed. */
  readonly position: number;
  readonly hash: string;
  /** The position of the newest entry that was removed because of its age; 0 if none was. */
  readonly removedUpTo: number;
  /** In plain words, at most 20. */
  readonly faults: readonly string[];
  /** Whether the chain contains the hash that was asked for. */
  readonly isFound: boolean;
}

/** The entry before the newest ones. */
async function entryBeforeNewest(store: Store, newest: number) {
  const [end] = await listAuditEntries(store, { max: 1 });
  const position = Number(end?.position ?? 0) - newest;
  if (position < 1) return undefined;
  const [entry] = await auditEntriesAfter(store, { position: position - 1, max: 1 });
  return entry && { position: Number(entry.position), hash: entry.hash };
}

const perPage = 1000;
const maxFaults = 20;

interface Asked {
  readonly including?: string | undefined;
  /** How many entries; default: all. */
  readonly newest?: number;
}

/** Recomputes the hashes of the audit log, and looks for one that `including` names. */
export async function verifyAuditLog(store: Store, asked: Asked): Promise<Verified> {
  const { including, newest } = asked;
  const checkpoint = await lastCheckpoint(store);
  let last = { position: Number(checkpoint?.position ?? 0), hash: checkpoint?.hash ?? '' };
  const removedUpTo = last.position;
  const before = newest === undefined ? undefined : await entryBeforeNewest(store, newest);
  if (before && before.position > last.position) last = before;
  let [entries, isFound] = [0, including === undefined || including === last.hash];
  const faults: string[] = [];
  while (faults.length < maxFaults) {
    const found = await auditEntriesAfter(store, { position: last.position, max: perPage + 1 });
    // No page would begin with a second entry at the position of the last one.
    const page = found.filter(({ position }, at) => at < perPage || position === found[at - 1]?.position);
    for (const entry of page) {
      faults.push(...faultsOf(entry, last));
      last = { position: Number(entry.position), hash: entry.hash };
      isFound ||= last.hash === including;
    }
    entries += page.length;
    if (found.length <= perPage) break;
  }
  // Meanwhile, old entries were removed.
  if ((await lastCheckpoint(store))?.position !== checkpoint?.position) return verifyAuditLog(store, asked);
  for (const { id } of await unlinkedEntries(store, maxFaults)) faults.push(`entry ${id} is not part of the chain`);
  return { entries, ...last, removedUpTo, faults: faults.slice(0, maxFaults), isFound };
}

function faultsOf(entry: AuditRow, last: { readonly position: number; readonly hash: string }): readonly string[] {
  const { position, id } = entry;
  const named = `entry ${position} (${id})`;
  const isRedacted = entry.salt === null && entry.subject === deletedSubject && entry.reason === null;
  return [
    ...(Number(position) === last.position + 1 ? [] : [`entries between ${last.position} and ${position} are missing`]),
    ...(entry.previous === last.hash ? [] : [`${named} does not follow entry ${last.position}`]),
    ...(entry.hash === hashOf(entry) ? [] : [`${named} was changed`]),
    ...(isRedacted || entry.details === hashOfDetails(entry) ? [] : [`${named}: its subject or reason was changed`]),
  ];
}
