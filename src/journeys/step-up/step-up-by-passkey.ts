import { holdSignedIn } from '../../access/hold-signed-in.ts';
import { requestUse } from '../../access/passkeys/request-challenge.ts';
import { type UsedPasskey, usePasskey } from '../../access/passkeys/use-passkey.ts';
import type { Authentication } from '../../contract/authentication.ts';
import { stepUp as contract } from '../../contract/step-up.ts';
import type { Service } from '../../server/service.ts';
import { renewAuthentication } from '../../store/access/authentication.ts';
import { passkeysOf } from '../../store/access/passkeys/passkeys.ts';
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

interface PasskeyStepUp extends SignedIn {
  readonly credential: UsedPasskey;
  readonly browserSecret: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Proves with a passkey of the account who the signed-in user is, and returns the session's new authentication. Refuses
 * with `challenge_expired` or `passkey_refused`.
 */
export function stepUpByPasskey(service: Service, request: PasskeyStepUp): Promise<Authentication> {
  const { accountId, sessionId } = request;
  return usePasskey(service, { endpoint: contract, purpose: 'step_up', ...request }, ({ amr, redeem }) =>
    service.store.transaction().execute(async (trx) => {
      const now = service.now();
      await holdSignedIn(trx, { endpoint: contract, accountId, sessionId, now });
      await redeem(trx, now);
      const renewed = { authTime: now, amr, acr: 'aal2' } as const;
      await renewAuthentication(trx, sessionId, renewed);
      return renewed;
    }),
  );
}
