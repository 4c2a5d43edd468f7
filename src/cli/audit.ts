import { auditKinds } from '../contract/operators.ts';
import { iso } from '../contract/units.ts';
import { auditFilter, eachAuditEntry, verifyAuditLog } from '../operations/audit-log.ts';
import { actorNames, auditAlone, masked } from '../operations/operation.ts';
import { accountsAmong } from '../store/accounts/list-accounts.ts';
import type { Store } from '../store/database.ts';
import { type AuditFilter, type AuditRow, listAuditEntries } from '../store/operators/audit-log.ts';
import {
  type BulkCommand,
  type CommandResult,
  inColumns,
  operationOf,
  readNumber,
  readSince,
  reasonOption,
  type StoreCommand,
  UsageError,
} from './command.ts';

const usually = 50;
const maxEntries = 10_000;

const filters = {
  kind: { type: 'string', value: 'KIND', help: `only ${auditKinds.join(', ')}` },
  since: { type: 'string', value: 'DATE', help: 'only actions on this day or later, in UTC' },
} as const;

async function filterIn(
  { store, positionals: [who, ...more], options }: Parameters<StoreCommand['run']>[0],
  usage: string,
): Promise<AuditFilter> {
  const kind = auditKinds.find((one) => one === options.kind);
  if (more.length > 0 || (options.kind !== undefined && kind === undefined))
    throw new UsageError(`${usage}: one address or account id, and KIND one of ${auditKinds.join(', ')}`);
  return auditFilter(store, { person: who, kind, since: readSince(options, 'since') });
}

const auditCommand: StoreCommand = {
  usage: 'audit [WHO]',
  summary:
    'list the actions of operators, newest first; WHO is an address or an account id, including the id of a deleted account',
  example: 'audit anna@example.com --most 20',
  options: { ...filters, most: { type: 'string', value: 'N', help: 'how many entries; 1 to 10000' } },
  async run(given) {
    const { store, options } = given;
    const count = readNumber(options, 'most', { to: maxEntries, usual: usually });
    const found = await listAuditEntries(store, { ...(await filterIn(given, auditCommand.usage)), max: count });
    const entries = await withNames(store, found);
    const rows = entries.map(({ at, actor_kind, origin, action, subject, reason, ...one }) => [
      at,
      actor_kind === 'command' ? one.actor : `${actor_kind} ${one.actor_name ?? one.actor}`,
      origin,
      action,
      one.account_name ?? one.account_id ?? '-',
      subject,
      reason ?? '',
    ]);
    return { text: inColumns(rows) || 'The audit log has no matching entries.', data: { entries } };
  },
};

/** Entries as people and programs read them; the hashes are in the export. */
async function withNames(store: Store, entries: readonly AuditRow[]) {
  const actorName = await actorNames(store, entries);
  const ids = new Set(entries.flatMap(({ account_id }) => account_id ?? []));
  const accounts = await accountsAmong(store, { ids: [...ids], filter: {} });
  const names = new Map(accounts.map(({ id, name, email }) => [id, name || masked(email)]));
  return entries.map(({ id, at, actor_kind, actor, origin, action, account_id, subject, reason }) => ({
    ...{ id, at: iso(at), actor_kind, actor, actor_name: actorName({ actor_kind, actor }), origin, action },
    ...{ account_id, account_name: names.get(account_id ?? '') ?? null, subject, reason },
  }));
}

const auditVerify: StoreCommand = {
  usage: 'audit verify',
  summary:
    'recompute the hashes of the audit log, each of which depends on all entries before; prints the newest one, which proves later that no entry was removed',
  example: 'audit verify',
  options: {
    including: { type: 'string', value: 'HASH', help: 'fail unless the log still contains the entry with this hash' },
  },
  async run({ store, options }) {
    const including = options.including === undefined ? undefined : String(options.including);
    const { entries, position, hash, removedUpTo, faults, isFound } = await verifyAuditLog(store, { including });
    const found = isFound ? [] : [`no entry has the hash ${including}`];
    const all = [...faults, ...found];
    const whole = `Entries: ${entries}, each as it was written.`;
    const removed = removedUpTo === 0 ? [] : [`Entries up to ${removedUpTo} were removed because of their age.`];
    return {
      text: [...(all.length > 0 ? all : [whole]), ...removed, `Newest: ${position} ${hash}`].join('\n'),
      data: { entries, position, hash, removed_up_to: removedUpTo, faults: all },
      failed: all.length > 0,
    };
  },
};

const auditExport: BulkCommand = {
  usage: 'audit export [WHO]',
  summary: 'print the audit log with its hashes as JSON Lines, oldest first; all of it, or what WHO and options leave',
  example: 'audit export --since 2026-11-01 > audit.jsonl',
  options: { ...filters, ...reasonOption },
  async runBulk(given) {
    const filter = await filterIn(given, auditExport.usage);
    const { accountId, since = 0 } = filter;
    const subject = `since ${iso(since)}${given.options.kind === undefined ? '' : `, ${given.options.kind}`}`;
    await auditAlone(operationOf(given), { action: 'audit_exported', subject, ...(accountId && { accountId }) });
    return { each: eachLine(given.store, filter) };
  },
};

async function* eachLine(store: Store, filter: AuditFilter): AsyncGenerator<CommandResult> {
  for await (const entry of eachAuditEntry(store, filter)) yield { text: JSON.stringify(entry), data: entry };
}

export const auditCommands = [auditVerify, auditExport, auditCommand];
