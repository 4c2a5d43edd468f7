import type { ActivityKind } from '../../contract/activity-kinds.ts';
import { enqueueCapped } from '../../outbox/delivery/batch-notices.ts';
import type { SecondStepChange } from '../../outbox/notices/sign-in.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';
import { requestOrigin } from './request-origin.ts';

const recorded = {
  added: 'authenticator_added',
  removed: 'authenticator_removed',
  renewed: 'recovery_codes_renewed',
  kept: 'second_step_kept',
  lost: 'second_step_removed',
} as const satisfies Record<SecondStepChange, ActivityKind>;

interface ReportedChange {
  readonly account: AccountsTable;
  readonly change: SecondStepChange;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Records a change of the second step, and notifies the owner by email. */
export async function reportChange(
  trx: StoreTransaction,
  { account, change, visitor, at }: ReportedChange,
): Promise<void> {
  await recordActivity(trx, { accountId: account.id, at, kind: recorded[change], visitor });
  const params = { change, when: at, origin: requestOrigin({ visitor, at }) };
  await enqueueCapped(trx, { notice: 'second_step_changed', params, account, at });
}
