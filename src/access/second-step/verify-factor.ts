import type { SecondStepWay } from '../../contract/sign-in/sign-in-methods.ts';
import { macOfRecoveryCode } from '../../security/recovery-codes.ts';
import { matchedStep } from '../../security/totp.ts';
import type { Service } from '../../server/service.ts';
import { acceptStep, findAuthenticator } from '../../store/access/second-step/authenticators.ts';
import { consumeRecoveryCode } from '../../store/access/second-step/recovery-codes.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { AmrOf } from '../methods.ts';

/** The second factor that a user sends: exactly one of these fields. */
export interface FactorProof {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly credential?: object | undefined;
}

interface Verification {
  readonly accountId: string;
  readonly proof: FactorProof;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Verifier<Way extends SecondStepWay> = (
  service: Pick<Service, 'secrets'>,
  trx: StoreTransaction,
  verification: Verification,
) => Promise<AmrOf<Way> | undefined>;

/**
 * Verifies a factor in the caller's transaction, which holds the account, and uses it up. Returns what it adds to `amr`,
 * or undefined if it is wrong. To add a factor that can be guessed, add a row; passkeys are in `access/passkeys/`.
 */
export const verifiers: { readonly [Way in Exclude<SecondStepWay, 'passkey'>]: Verifier<Way> } = {
  async authenticator({ secrets }, trx, { accountId, proof: { code }, now }) {
    const authenticator = await findAuthenticator(trx, accountId);
    if (!code || !authenticator?.secret) return undefined;
    const step = matchedStep(secrets.open(authenticator.secret), code, now);
    const isAccepted = step !== undefined && (await acceptStep(trx, { accountId, secret: authenticator.secret, step }));
    return isAccepted ? ['otp'] : undefined;
  },

  async recovery_code({ secrets }, trx, { accountId, proof: { recovery_code: code } }) {
    const key = (await findAuthenticator(trx, accountId))?.recovery_key;
    if (!code || !key) return undefined;
    const mac = macOfRecoveryCode(secrets.open(key), accountId, code);
    return (await consumeRecoveryCode(trx, { accountId, mac })) ? ['otp'] : undefined;
  },
};

/** The factor that a request contains; undefined if it contains none or several. */
export function wayOf({ code, recovery_code, credential }: FactorProof): SecondStepWay | undefined {
  const sent: readonly (readonly [SecondStepWay, unknown])[] = [
    ['authenticator', code],
    ['recovery_code', recovery_code],
    ['passkey', credential],
  ];
  const [one, ...more] = sent.filter(([, value]) => value !== undefined);
  return more.length === 0 ? one?.[0] : undefined;
}
