import { randomBytes } from 'node:crypto';
import { macOfRecoveryCode, newRecoveryCodes } from '../../../security/recovery-codes.ts';
import type { Service } from '../../../server/service.ts';
import { replaceRecoveryCodes } from '../../../store/access/second-step/recovery-codes.ts';
import type { StoreTransaction } from '../../../store/database.ts';

/** Creates ten recovery codes and voids earlier ones. Only their keyed hashes are stored. Hold the account's row. */
export async function makeRecoveryCodes(
  { secrets }: Pick<Service, 'secrets'>,
  trx: StoreTransaction,
  { accountId, sessionId, at }: { accountId: string; sessionId: string; at: number },
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const key = randomBytes(32);
  const macs = codes.map((code) => macOfRecoveryCode(key, accountId, code));
  await replaceRecoveryCodes(trx, { accountId, sessionId, key: secrets.seal(key), macs, at });
  return codes;
}
