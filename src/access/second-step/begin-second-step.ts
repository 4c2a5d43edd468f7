import type { SignInPending } from '../../contract/sign-in/authentication.ts';
import type { SecondStepWay } from '../../contract/sign-in/sign-in-methods.ts';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { isRemembered } from '../../store/access/devices.ts';
import { pendingSignIns } from '../../store/access/second-step/pending-sign-ins.ts';
import { countRecoveryCodes } from '../../store/access/second-step/recovery-codes.ts';
import { needsSecondStep, signInMethodsOf } from '../../store/access/sign-in-methods.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';

interface FirstFactor {
  readonly account: AccountsTable;
  /** A name of `methods` (`access/methods.ts`). */
  readonly method: string;
  readonly browser: {
    readonly visitor: Visitor;
    readonly deviceToken: string | undefined;
    readonly shared?: boolean | undefined;
  };
  readonly dbType?: string | undefined;
  readonly now: number;
}

/** The settings that decide about second steps. */
interface SecondStepConfig {
  readonly config: Pick<Service['config'], 'SECOND_STEP' | 'relyingParty'>;
}

/**
 * Makes a sign-in wait for its second step, in the transaction that redeemed the first factor. Undefined if the account
 * has no second step, or its owner chose to skip it in this browser.
 */
export async function beginSecondStep(
  { config }: SecondStepConfig,
  trx: StoreTransaction,
  { account, method, browser, dbType, now }: FirstFactor,
): Promise<SignInPending | undefined> {
  if (!needsSecondStep({ config }, account)) return undefined;
  const { id: accountId } = account;
  const { shared, visitor, deviceToken } = browser;
  const deviceHash = deviceToken === undefined ? null : sha256(deviceToken);
  if (!shared && deviceHash && (await isRemembered(trx, { tokenHash: deviceHash, accountId, now }))) return undefined;
  const pending = randomSecret(256);
  await pendingSignIns.add(trx, {
    token_hash: sha256(pending),
    account_id: accountId,
    created_at: now,
    method,
    shared: shared ? 1 : 0,
    db_type: dbType ?? null,
    device_hash: deviceHash,
    user_agent: visitor.userAgent,
  });
  return { accountId, pending, ways: await secondStepWaysOf({ store: trx, config }, account) };
}

/** Methods that can complete a sign-in to an account that has a second step. */
export async function secondStepWaysOf(
  { store, config }: SecondStepConfig & { readonly store: Store },
  account: AccountsTable,
): Promise<SecondStepWay[]> {
  const { authenticator, passkeys } = await signInMethodsOf({ store, config }, account, { password: false });
  return [
    ...(authenticator ? (['authenticator'] as const) : []),
    ...(authenticator && passkeys > 0 ? (['passkey'] as const) : []),
    ...(authenticator && (await countRecoveryCodes(store, account.id)) > 0 ? (['recovery_code'] as const) : []),
  ];
}
