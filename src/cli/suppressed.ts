import { iso } from '../contract/iso-time.ts';
import { allowAddressAgain } from '../operations/allow-address.ts';
import { masked } from '../operations/operation.ts';
import { listSuppressed } from '../store/emails/suppression-list.ts';
import { type StoreCommand, UsageError } from './command.ts';
import { operationOf, reasonOption } from './operator.ts';
import { inColumns } from './readable.ts';

export const suppressedList: StoreCommand = {
  name: ['suppressed'],
  usage: 'suppressed',
  summary: 'list suppressed addresses, which get no more emails because one bounced or was reported as spam',
  async run({ store, positionals }) {
    if (positionals.length > 0) throw new UsageError('suppressed, or suppressed remove WHO');
    const list = (await listSuppressed(store)).map(({ email, account_id, reason, told_by, detail, at }) => ({
      account: account_id,
      address: masked(email),
      since: iso(at),
      reason,
      told_by,
      detail,
    }));
    const rows = list.map(({ account, address, since, reason, told_by, detail }) => [
      account ?? '-',
      address,
      since,
      reason,
      told_by,
      detail.replace(/\s+/g, ' '),
    ]);
    return { text: rows.length === 0 ? 'No addresses are suppressed.' : inColumns(rows), data: { suppressed: list } };
  },
};

export const suppressedRemove: StoreCommand = {
  name: ['suppressed', 'remove'],
  usage: 'suppressed remove WHO [--reason TEXT]',
  summary: 'send emails again to an address, or to the address of an account id',
  options: reasonOption,
  async run(given) {
    const [who, ...more] = given.positionals;
    if (!who || more.length > 0) throw new UsageError('suppressed remove WHO: one address or account id');
    const removed = await allowAddressAgain(operationOf(given), who);
    return {
      text: removed ? `${who}: no longer suppressed` : `${who}: not suppressed`,
      data: { removed },
      failed: !removed,
    };
  },
};
