import { type ActorKind, type AuditKind, actionsOf } from '../contract/operators.ts';
import { iso } from '../contract/units.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import type { Store } from '../store/database.ts';
import {
  type AuditFilter,
  type AuditRow,
  auditEntriesAfter,
  deletedSubject,
  hashOf,
  hashOfDetails,
  lastCheckpoint,
  listAuditEntries,
  positionBefore,
  unlinkedEntries,
} from '../store/operators/audit-log.ts';
import { actorNames } from './operation.ts';

interface AuditQuery {
  /** An address or the id of an account. */
  readonly person?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly kind?: AuditKind | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
}

export async function auditFilter(store: Store, { person, kind, ...filter }: AuditQuery): Promise<AuditFilter> {
  // Only entries of the log still have the id of a deleted account.
  const accountId = person === undefined ? undefined : ((await accountByAddressOrId(store, person))?.id ?? person);
  return { ...filter, accountId, actions: kind && actionsOf(kind) };
}

interface PageAfter extends AuditQuery {
  readonly position: number;
  readonly max: number;
}

/** Entries of the audit log after a position, the oldest first. */
export const auditAfter = async (store: Store, { position, max, ...query }: PageAfter) =>
  describeEntries(store, await auditEntriesAfter(store, { ...(await auditFilter(store, query)), position, max }));

interface PageBefore extends AuditQuery {
  /** The id of a newer entry. */
  readonly before?: string | undefined;
  readonly max: number;
}

/** A page of the audit log, the newest first. */
export async function auditBefore(store: Store, { before, max, ...query }: PageBefore) {
  const found = await listAuditEntries(store, { ...(await auditFilter(store, query)), before, max: max + 1 });
  const items = await describeEntries(store, found.slice(0, max));
  return { items, next: found.length > max ? (items.at(-1)?.id ?? null) : null };
}

async function describeEntries(store: Store, entries: readonly AuditRow[]) {
  const nameOf = await actorNames(store, entries);
  return entries.map((entry) => {
    const { id, actor_kind, actor, origin, action, account_id, subject, subject_id, reason, hash } = entry;
    return {
      ...{ id, at: iso(entry.at), actor_kind, actor, actor_name: nameOf(entry), origin, action, account_id },
      ...{ job_id: action.startsWith('job_') ? subject_id : null, subject, reason },
      ...{ position: Number(entry.position), hash },
    };
  });
}

/** Every entry that matches, as the log has it, the oldest first. */
export async function* eachAuditEntry(store: Store, filter: AuditFilter): AsyncGenerator<AuditRow> {
  const { since } = filter;
  let position = since === undefined ? 0 : await positionBefore(store, since);
  while (position !== undefined) {
    const page = await auditEntriesAfter(store, { ...filter, position, max: perPage });
    yield* page;
    position = page.length < perPage ? undefined : Number(page.at(-1)?.position);
  }
}

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
  const isAsWritten = entry.details === hashOfDetails(entry) && entry.subject.includes(entry.subject_id ?? '');
  return [
    ...(Number(position) === last.position + 1 ? [] : [`entries between ${last.position} and ${position} are missing`]),
    ...(entry.previous === last.hash ? [] : [`${named} does not follow entry ${last.position}`]),
    ...(entry.hash === hashOf(entry) ? [] : [`${named} was changed`]),
    ...(isRedacted || isAsWritten ? [] : [`${named}: its subject or reason was changed`]),
  ];
}
