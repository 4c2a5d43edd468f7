import { withFactor } from '../../access/methods.ts';
import { requestUse } from '../../access/passkeys/request-challenge.ts';
import { type UsedPasskey, usePasskey } from '../../access/passkeys/use-passkey.ts';
import { refuse } from '../../contract/refuse.ts';
import type { Authentication } from '../../contract/sign-in/authentication.ts';
import { stepUp as contract } from '../../contract/sign-in/step-up.ts';
import type { Service } from '../../server/service.ts';
import { renewAuthentication } from '../../store/access/authentication.ts';
import { passkeysOf } from '../../store/access/passkeys/passkeys.ts';
import { lockSignedInAccount } from '../../store/access/session-owner.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { Visitor } from '../../store/visitor.ts';

interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Returns the options for a step-up with a passkey of the signed-in account. */
export async function requestStepUp(
  service: Service,
  { accountId, sessionId, browserSecret }: SignedIn & { readonly browserSecret: string },
) {
  const challenge = { purpose: 'step_up', browserSecret, accountId, sessionId } as const;
  return requestUse(service, challenge, await passkeysOf(service.store, accountId));
}

interface PasskeyStepUp extends Pick<Authentication, 'amr'> {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly proof: { readonly credential?: UsedPasskey | undefined };
  readonly browserSecret: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Proves with a passkey of the account who the signed-in user is, and returns the session's new authentication. Refuses
 * with `challenge_expired` or `passkey_refused`.
 */
export async function stepUpByPasskey(service: Service, request: PasskeyStepUp): Promise<Authentication> {
  const { account, sessionId, proof, browserSecret, visitor } = request;
  const { id: accountId } = account;
  if (!proof.credential) throw refuse(contract, 'passkey_refused');
  const bound = { browserSecret, accountId, sessionId, visitor };
  const use = { endpoint: contract, purpose: 'step_up', credential: proof.credential, ...bound } as const;
  return usePasskey(service, use, ({ amr, redeem }) =>
    service.store.transaction().execute(async (trx) => {
      const now = service.now();
      await lockSignedInAccount(trx, { endpoint: contract, accountId, sessionId, now });
      await redeem(trx, now);
      const renewed = { authTime: now, amr: withFactor(request.amr, amr), acr: 'aal2' } as const;
      await renewAuthentication(trx, sessionId, renewed);
      return renewed;
    }),
  );
}
