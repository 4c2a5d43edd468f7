import { iso } from '../contract/units.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import { listAuditEntries } from '../store/operators/audit-log.ts';
import { inColumns, readSince, type StoreCommand, UsageError } from './command.ts';

const usually = 50;
const maxEntries = 10_000;

export const auditCommand: StoreCommand = {
  name: ['audit'],
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
      ({ id, at, ...entry }) => ({
        id,
        at: iso(at),
        ...entry,
      }),
    );
    const rows = entries.map(({ at, actor, origin, action, account_id, subject, reason }) => [
      at,
      actor,
      origin,
      action,
      account_id ?? '-',
      subject,
      reason ?? '',
    ]);
    return { text: rows.length === 0 ? 'The audit log has no matching entries.' : inColumns(rows), data: { entries } };
  },
};
