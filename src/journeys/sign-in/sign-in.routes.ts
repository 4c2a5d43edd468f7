import type { FastifyInstance } from 'fastify';
import type { AddressLimit } from '../../http/address-limits.ts';
import { deviceTokenOf, setDeviceCookie } from '../../http/cookies.ts';
import { renewCsrf } from '../../http/csrf.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { endFormerSession } from '../../http/end-former-session.ts';
import type { FairGate, Lane } from '../../http/fair-gate.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { login } from './sign-in.contract.ts';
import { approach, lockOf, type SignInDeps, signIn } from './sign-in.ts';

export interface SignInRoutesDeps extends HttpDeps, SignInDeps {
  readonly settings: HttpDeps['settings'] & SignInDeps['settings'];
  readonly gate: FairGate;
  readonly signInFailures: AddressLimit;
}

export function signInRoutes(app: FastifyInstance, deps: SignInRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(login, async ({ body, visitor, request, reply }) => {
    const attempt = { ...body, visitor, deviceToken: deviceTokenOf(request, deps.cookies) };
    const found = await approach(deps, attempt);
    const lockedUntil = await lockOf(deps, found);
    if (lockedUntil > 0) throw tooMuch('too_many_attempts', lockedUntil - deps.now());

    const lane = laneOf(found.known, deps.signInFailures.wait(visitor.source));
    const verdict = await deps.gate.run({ source: visitor.source, lane }, () => signIn(deps, attempt, found));
    if (verdict.state === 'locked') throw tooMuch('too_many_attempts', verdict.until - deps.now());
    if (verdict.state === 'refused') {
      deps.signInFailures.add(visitor.source);
      throw verdict.failure;
    }
    await endFormerSession(deps, request);
    setDeviceCookie(reply, deps.cookies, verdict.deviceToken);
    renewCsrf(deps, reply, verdict.sessionId);
    return grantSession(deps, reply, { ...verdict, generation: 0 });
  });
}

/**
 * An address with many failures is not refused, since an office or a mobile network shares one: it waits behind
 * everybody else, and the known devices behind it do not.
 */
function laneOf(known: boolean, wait: number): Lane {
  if (known) return 'known';
  return wait > 0 ? 'late' : 'usual';
}
