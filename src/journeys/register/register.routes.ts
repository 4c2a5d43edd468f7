import type { FastifyInstance } from 'fastify';
import type { AddressLimit } from '../../http/address-limits.ts';
import { setDeviceCookie } from '../../http/cookies.ts';
import { renewCsrf } from '../../http/csrf.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { FairGate } from '../../http/fair-gate.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { register } from './register.contract.ts';
import { admit, examine, type RegisterDeps } from './register.ts';

export interface RegisterRoutesDeps extends HttpDeps, RegisterDeps {
  readonly settings: HttpDeps['settings'] & RegisterDeps['settings'] & { readonly PASSWORD_MIN_LENGTH: number };
  readonly gate: FairGate;
  readonly newAccounts: AddressLimit;
}

export function registerRoutes(app: FastifyInstance, deps: RegisterRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(register(deps.settings.PASSWORD_MIN_LENGTH), async ({ body, visitor, request, reply }) => {
    const wait = deps.newAccounts.wait(visitor.source);
    if (wait > 0) throw tooMuch('too_many_requests', wait);

    const applicant = await examine(deps, body);
    const place = { source: visitor.source, lane: 'usual' } as const;
    const passwordHash = await deps.gate.run(place, () => deps.passwords.hash(applicant.password));
    const deviceToken = request.cookies[deps.cookies.device];
    const registered = await admit(deps, { applicant, passwordHash, deviceToken, visitor });
    deps.newAccounts.add(visitor.source);

    setDeviceCookie(reply, deps.cookies, registered.deviceToken);
    renewCsrf(deps, reply, registered.sessionId);
    return grantSession(deps, reply, { ...registered, generation: 0 });
  });
}
