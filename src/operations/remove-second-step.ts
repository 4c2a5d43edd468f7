import { endSecondStep } from '../access/second-step/end-second-step.ts';
import { requestRemoval } from '../access/second-step/removal.ts';
import { reportChange } from '../access/second-step/report-change.ts';
import { type AccountsTable, holdAndFind } from '../store/accounts/accounts.ts';
import { audit, masked, type Operation, operatorVisit } from './operation.ts';

interface Removal {
  readonly account: AccountsTable;
  readonly config: Parameters<typeof requestRemoval>[0]['config'];
  /** Skips the delay in which the owner can stop the removal. */
  readonly immediately: boolean;
}

/**
 * Removes the second step of an owner who has lost it, after the same delay as at the owner's own request, or immediately.
 * Returns when (ms since the epoch) it takes effect; undefined if the account has no second step.
 */
export const removeSecondStep = (
  { store, ...operation }: Operation,
  { account: { id, email }, config, immediately }: Removal,
): Promise<number | undefined> =>
  store.transaction().execute(async (trx) => {
    const at = operation.now;
    const account = await holdAndFind(trx, id);
    if (!account || account.second_step_at === null) return undefined;
    const action = immediately ? 'second_step_removed' : 'second_step_removal_requested';
    await audit(trx, operation, { action, accountId: id, subject: masked(email) });
    if (!immediately) return requestRemoval({ config }, trx, { account, visitor: operatorVisit, at });
    await endSecondStep(trx, id);
    await reportChange(trx, { account, change: 'lost', visitor: operatorVisit, at });
    return at;
  });
