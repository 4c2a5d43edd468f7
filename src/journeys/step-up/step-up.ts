import { holdSignedIn } from '../../access/hold-signed-in.ts';
import { reauthenticate } from '../../access/reauthenticate.ts';
import type { Authentication } from '../../contract/authentication.ts';
import { refuse } from '../../contract/refuse.ts';
import { stepUpWaysOf } from '../../contract/sign-in-methods.ts';
import { stepUp as contract } from '../../contract/step-up.ts';
import { isPassword } from '../../security/foreign/hashes.ts';
import type { Service } from '../../server/service.ts';
import { renewAuthentication } from '../../store/access/authentication.ts';
import { signInMethodsOf } from '../../store/access/sign-in-methods.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { Visitor } from '../../store/visitor.ts';

interface StepUpRequest extends Authentication {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly visitor: Visitor;
  readonly password: string | undefined;
}

/**
 * Proves again who the signed-in user is, and returns the session's new authentication. A password proves nothing if the
 * account has a second step: then it refuses with `step_up_required` and the methods that the account accepts.
 */
export async function stepUp(service: Service, request: StepUpRequest): Promise<Authentication> {
  const { account, visitor: from, password, amr, acr, authTime } = request;
  const methods = await signInMethodsOf(service, account, { password: isPassword(account.password_hash) });
  const ways = stepUpWaysOf(methods);
  if (password === undefined || !ways.includes('password')) throw refuse(contract, 'step_up_required', { ways });
  const asking = { endpoint: contract, from, accountId: account.id, authTime, password };
  return reauthenticate(service, asking, () =>
    renew(service, request, { authTime: service.now(), amr: amr.includes('pwd') ? amr : [...amr, 'pwd'], acr }),
  );
}

/** Stores the proof in the session, unless the session has ended meanwhile. */
function renew(
  { store }: Service,
  { account, sessionId }: StepUpRequest,
  renewed: Authentication,
): Promise<Authentication> {
  return store.transaction().execute(async (trx) => {
    await holdSignedIn(trx, { endpoint: contract, accountId: account.id, sessionId, now: renewed.authTime });
    await renewAuthentication(trx, sessionId, renewed);
    return renewed;
  });
}
