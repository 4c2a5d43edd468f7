import type { Endpoint } from '../../contract/endpoint.ts';
import { Failure } from '../../contract/failures.ts';
import { stepUpLifetime } from '../../contract/sign-in/authentication.ts';
import { stepUpWaysOf } from '../../contract/sign-in/sign-in-methods.ts';
import { isPassword } from '../../security/foreign/hashes.ts';
import type { Service } from '../../server/service.ts';
import { signInMethodsOf } from '../../store/access/sign-in-methods.ts';
import type { Principal } from './authentication.ts';

/**
 * Refuses a sensitive request with `step_up_required` if the last proof of identity is too old or, for an account with
 * a second step, had one factor. The session of a remembered browser has one factor.
 */
export async function requireStepUp(
  { store, config, now }: Pick<Service, 'store' | 'config' | 'now'>,
  { sensitive }: Pick<Endpoint, 'sensitive'>,
  { account, authTime, acr }: Principal,
): Promise<void> {
  const isFresh = authTime > now() - stepUpLifetime;
  if (isFresh && acr === 'aal2') return;
  const methods = await signInMethodsOf({ store, config }, account, { password: isPassword(account.password_hash) });
  if (!methods.authenticator && (isFresh || (sensitive === 'or_password' && methods.password))) return;
  throw new Failure('step_up_required', { ways: stepUpWaysOf(methods) });
}
