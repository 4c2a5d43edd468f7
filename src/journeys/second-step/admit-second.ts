import type { Browser, Proof } from '../../access/admission.ts';
import { admit } from '../../access/admit.ts';
import { type MethodName, methods, withFactor } from '../../access/methods.ts';
import { refuse } from '../../contract/refuse.ts';
import type { AdmissionResult, AuthenticationMethod } from '../../contract/sign-in/authentication.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { deviceLifetime, isKnownDevice } from '../../store/access/devices.ts';
import { pendingSignIns } from '../../store/access/second-step/pending-sign-ins.ts';
import { type AccountsTable, holdAndFind } from '../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { OpenPendingSignIn } from './open-pending-sign-in.ts';
import { secondStep as contract } from './second-step.contract.ts';

/** The hash of the browser's device token, if the browser has signed in to the account before. */
export async function knownDeviceOf(
  { store, now }: Service,
  { account }: OpenPendingSignIn,
  { deviceToken }: Pick<Browser, 'deviceToken'>,
): Promise<string | undefined> {
  if (deviceToken === undefined) return undefined;
  const tokenHash = sha256(deviceToken);
  const device = { tokenHash, accountId: account.id, since: now() - deviceLifetime };
  return (await isKnownDevice(store, device)) ? tokenHash : undefined;
}

interface SecondStep extends OpenPendingSignIn {
  readonly browser: Omit<Browser, 'shared'>;
  readonly isKnown: boolean;
  readonly remember: boolean;
}

/** Verifies the second factor in the admitting transaction, which holds the account. Returns what it adds to `amr`. */
type VerifySecond = (
  trx: StoreTransaction,
  step: { readonly held: AccountsTable; readonly at: number },
) => Promise<readonly AuthenticationMethod[]>;

/** Admits the owner of a pending sign-in, which it uses up, with the second factor that `verify` verifies. */
export function admitSecond(
  service: Service,
  { account, pending, browser, isKnown, remember }: SecondStep,
  verify: VerifySecond,
): Promise<AdmissionResult> {
  // Filled in while the transaction redeems the proof, before the session is written.
  const second = { amr: [] as readonly AuthenticationMethod[] };
  const first = pending.method as MethodName;
  const redeemed: Proof = {
    method: first,
    acr: 'aal2',
    get amr() {
      return withFactor(methods[first].amr, second.amr);
    },
    async redeem(trx, at) {
      const held = await holdAndFind(trx, account.id);
      if (!held || !(await pendingSignIns.use(trx, { token_hash: pending.token_hash }, at)))
        throw refuse(contract, 'sign_in_expired');
      if (held.locked_at !== null) throw refuse(contract, 'email_cannot_be_used');
      second.amr = await verify(trx, { held, at });
      return held;
    },
  };
  const shared = pending.shared === 1;
  const dbType = pending.db_type ?? undefined;
  const skipsSecondStep = remember && !shared;
  return admit(service, { proof: redeemed, browser: { ...browser, shared }, isKnown, dbType, skipsSecondStep });
}
