import { iso } from '../contract/units.ts';
import { auditAlone } from '../operations/operation.ts';
import { verifyAuditLog } from '../operations/verify-audit.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import type { Store } from '../store/database.ts';
import { type AuditRow, auditEntriesAfter, lastCheckpoint, listAuditEntries } from '../store/operators/audit-log.ts';
import {
  type BulkCommand,
  type CommandResult,
  inColumns,
  operationOf,
  readSince,
  reasonOption,
  type StoreCommand,
  UsageError,
} from './command.ts';

const usually = 50;
const maxEntries = 10_000;

const auditCommand: StoreCommand = {
  usage: 'audit [WHO] [--since DATE] [--most N]',
  summary:
    'list the actions of operators, newest first; WHO is an address or an account id, including the id of a deleted account',
  example: 'audit anna@example.com --most 20',
  options: {
    since: { type: 'string', value: 'DATE', help: 'only actions on this day or later, in UTC' },
    most: { type: 'string', value: 'N', help: 'how many entries; 1 to 10000' },
  },
  async run({ store, positionals: [who, ...more], options }) {
    const count = options.most === undefined ? usually : Number(options.most);
    if (more.length > 0 || !Number.isInteger(count) || count < 1 || count > maxEntries)
      throw new UsageError(
        `audit [WHO] [--since DATE] [--most N]: one address or account id, and N from 1 to ${maxEntries}`,
      );
    // Only the audit log still contains the id of a deleted account.
    const accountId = who === undefined ? undefined : ((await accountByAddressOrId(store, who))?.id ?? who);
    const entries = (await listAuditEntries(store, { accountId, since: readSince(options, 'since'), max: count })).map(
      described,
    );
    const rows = entries.map(({ at, actor_kind, actor, origin, action, account_id, subject, reason }) => [
      at,
      actor_kind === 'command' ? actor : `${actor_kind} ${actor}`,
      origin,
      action,
      account_id ?? '-',
      subject,
      reason ?? '',
    ]);
    return { text: rows.length === 0 ? 'The audit log has no matching entries.' : inColumns(rows), data: { entries } };
  },
};

/** An entry as people and programs read it; the hashes are in the export. */
const described = ({ id, at, actor_kind, actor, origin, action, account_id, subject, reason }: AuditRow) => ({
  id,
  at: iso(at),
  actor_kind,
  actor,
  origin,
  action,
  account_id,
  subject,
  reason,
});

const auditVerify: StoreCommand = {
  usage: 'audit verify [--including HASH]',
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
  usage: 'audit export [--since DATE] [--reason TEXT]',
  summary: 'print the whole audit log with its hashes as JSON Lines, oldest first',
  example: 'audit export --since 2026-11-01 > audit.jsonl',
  options: {
    since: { type: 'string', value: 'DATE', help: 'only actions on this day or later, in UTC' },
    ...reasonOption,
  },
  async runBulk(given) {
    const since = readSince(given.options, 'since') ?? 0;
    await auditAlone(operationOf(given), { action: 'audit_exported', subject: `since ${iso(since)}` });
    return { each: eachEntry(given.store, since) };
  },
};

const perPage = 1000;

async function* eachEntry(store: Store, since: number): AsyncGenerator<CommandResult> {
  for (let position = Number((await lastCheckpoint(store))?.position ?? 0); ; ) {
    const page = await auditEntriesAfter(store, { position, max: perPage });
    for (const entry of page) if (entry.at >= since) yield { text: JSON.stringify(entry), data: entry };
    if (page.length < perPage) return;
    position = Number(page.at(-1)?.position);
  }
}

export const auditCommands = [auditVerify, auditExport, auditCommand];
