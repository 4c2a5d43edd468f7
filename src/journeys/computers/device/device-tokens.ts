import { createHmac } from 'node:crypto';
import { repeatedWithin } from '../../../contract/idempotency-key.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { type ComputersTable, findComputerByToken } from '../../../store/computers/computers.ts';
import type { Store } from '../../../store/database.ts';

interface Enrolment {
  readonly codeHash: string;
  /** Idempotency key of the agent. */
  readonly attempt: string | undefined;
}

/**
 * The token of a computer that enrols, by each of our keys, the newest first. A repeated enrolment computes the same one:
 * we store only its hash. Without an attempt, it is random.
 */
export const deviceTokens = (
  { keyring }: Pick<Service, 'keyring'>,
  { codeHash, attempt }: Enrolment,
): readonly [string, ...string[]] => {
  const [newest, ...older] =
    attempt === undefined
      ? []
      : keyring.deviceTokens.map((key) =>
          createHmac('sha256', key).update(`${codeHash} ${attempt}`).digest('base64url'),
        );
  return newest === undefined ? [randomSecret(256)] : [newest, ...older];
};

interface EnrolledComputer {
  readonly computer: Pick<ComputersTable, 'id' | 'account_id'>;
  readonly token: string;
}

/** The computer that the same enrolment added moments ago, if any: its response may have been lost. */
export async function findEnrolled(
  store: Store,
  { tokens, now }: { tokens: readonly string[]; now: number },
): Promise<EnrolledComputer | undefined> {
  for (const token of tokens) {
    const computer = await findComputerByToken(store, sha256(token));
    if (computer && computer.created_at > now - repeatedWithin) return { computer, token };
  }
  return undefined;
}
