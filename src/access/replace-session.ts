import { findNamed, type NamedSession } from '../store/access/named-sessions.ts';
import { endSession } from '../store/access/sessions.ts';
import { moveGrants } from '../store/applications/client-grants.ts';
import type { StoreTransaction } from '../store/database.ts';

interface Replacement {
  readonly former: NamedSession | undefined;
  readonly sessionId: string;
  readonly accountId: string;
  readonly now: number;
}

/** Ends a browser's former session; its applications continue in the new one if the same person signed in. */
export async function replaceSession(
  trx: StoreTransaction,
  { former: named, sessionId, accountId, now }: Replacement,
): Promise<void> {
  const former = await findNamed(trx, named);
  if (!former) return;
  await moveGrants(trx, { from: former.id, to: sessionId, accountId });
  await endSession(trx, { id: former.id, reason: 'signed_out', at: now });
}
