import type { OperatorAction } from '../../contract/operators.ts';
import { undoWithin } from '../accounts/email-changes.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { doubtReceiver } from '../webhooks/record-event.ts';
import { addAuditEntry } from './audit-log.ts';

const ofReceivers: readonly OperatorAction[] = ['webhook_added', 'webhook_secret_added', 'webhooks_enabled'];
const ofClients: readonly OperatorAction[] = [
  'client_added',
  'client_changed',
  'client_secret_added',
  'client_confirmed',
];

interface FormerOperator {
  readonly accountId: string;
  /** When they were shut out or lost the role, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Doubts what an operator gave to others, or trusted, shortly before being shut out or losing the role: a receiver of
 * events gets none until someone enables it. People use an application, so it keeps working until someone confirms or
 * removes it.
 */
export async function doubtGivenBy(trx: StoreTransaction, { accountId, at }: FormerOperator): Promise<void> {
  // Whoever took over an account has not had it for longer, or its owner could have undone that.
  const since = at - undoWithin;
  const acts = await trx
    .selectFrom('audit_log')
    .select(['action', 'subject', 'subject_id'])
    .distinct()
    .where('actor', '=', accountId)
    .where('at', '>=', since)
    .where('action', 'in', [...ofReceivers, ...ofClients])
    .execute();
  const doubted = new Set<string>();
  for (const { action, subject, subject_id: id } of acts) {
    if (id === null || doubted.has(id)) continue;
    const isReceiver = ofReceivers.includes(action);
    if (!(await (isReceiver ? doubtReceiver : doubtClient)(trx, { id, by: accountId, at }))) continue;
    doubted.add(id);
    await addAuditEntry(trx, {
      ...{ at, actor_kind: 'service', actor: 'shut-out', origin: '', account_id: null, reason: null },
      ...{ subject, subject_id: id },
      action: isReceiver ? 'webhook_doubted' : 'client_doubted',
    });
  }
}

interface Doubt {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

const doubtClient = (trx: StoreTransaction, { id, by, at }: Doubt): Promise<boolean> =>
  hasRow(
    trx
      .updateTable('clients')
      .set({ doubted_by: by, doubted_at: at })
      .where('id', '=', id)
      .where('from_file', '=', 0)
      .returning('id'),
  );

/** The applications in doubt, each with the account of the operator, and since when (ms since the epoch). */
export const doubtedClients = (store: Store) =>
  store
    .selectFrom('clients')
    .select(['id', 'name', 'doubted_by', 'doubted_at'])
    .where('doubted_by', 'is not', null)
    .orderBy('name')
    .orderBy('id')
    .execute();

/** Ends the doubt about an application; false if there was none. */
export const trustClient = (trx: StoreTransaction, id: string): Promise<boolean> =>
  hasRow(
    trx
      .updateTable('clients')
      .set({ doubted_by: null, doubted_at: null })
      .where('id', '=', id)
      .where('doubted_by', 'is not', null)
      .returning('id'),
  );
