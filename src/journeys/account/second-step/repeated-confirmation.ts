import { repeatedWithin } from '../../../contract/idempotency-key.ts';
import { matchedStep } from '../../../security/totp.ts';
import type { Service } from '../../../server/service.ts';
import { type AuthenticatorsTable, findAuthenticator } from '../../../store/access/second-step/authenticators.ts';
import { areRecoveryCodesFrom } from '../../../store/access/second-step/recovery-codes.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { makeRecoveryCodes } from './make-recovery-codes.ts';

interface Confirmation {
  readonly accountId: string;
  readonly sessionId: string;
  readonly code: string;
  readonly at: number;
}

/**
 * The response to a repeated confirmation whose first response was lost; undefined for any other request. Its owner never saw
 * the recovery codes of the first response, and only their hashes are stored, so the repetition gets new ones.
 */
export async function repeatConfirmation(
  service: Pick<Service, 'secrets'>,
  trx: StoreTransaction,
  confirmation: Confirmation,
): Promise<{ recovery_codes?: string[] } | undefined> {
  const authenticator = await findAuthenticator(trx, confirmation.accountId);
  if (!authenticator || !isRepeated(service, authenticator, confirmation)) return undefined;
  const { accountId, sessionId } = confirmation;
  const madeAt = authenticator.confirmed_at ?? 0;
  if (!(await areRecoveryCodesFrom(trx, { accountId, sessionId, madeAt }))) return {};
  return { recovery_codes: await makeRecoveryCodes(service, trx, confirmation) };
}

/** Whether this session confirmed the authenticator moments ago with this very code, the last one that was used. */
function isRepeated(
  { secrets }: Pick<Service, 'secrets'>,
  { secret, session_id, confirmed_at, last_step }: AuthenticatorsTable,
  { sessionId, code, at }: Confirmation,
): boolean {
  if (secret === null || confirmed_at === null || session_id !== sessionId) return false;
  return confirmed_at > at - repeatedWithin && matchedStep(secrets.open(secret), code, confirmed_at) === last_step;
}
