import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import type { AddressLimit } from '../../http/address-limits.ts';
import { deviceTokenOf, setDeviceCookie } from '../../http/cookies.ts';
import { renewCsrf } from '../../http/csrf.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { endFormerSession } from '../../http/end-former-session.ts';
import type { FairGate } from '../../http/fair-gate.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { register } from './register.contract.ts';
import { admit, examine, type RegisterDeps } from './register.ts';

export interface RegisterRoutesDeps extends HttpDeps, RegisterDeps {
  readonly keyring: HttpDeps['keyring'] & RegisterDeps['keyring'];
  readonly settings: HttpDeps['settings'] & RegisterDeps['settings'] & { readonly PASSWORD_MIN_LENGTH: number };
  readonly gate: FairGate;
  readonly newAccounts: AddressLimit;
  readonly registrationGuesses: AddressLimit;
}

export function registerRoutes(app: FastifyInstance, deps: RegisterRoutesDeps): void {
  const mount = mountOn(app, deps);

  mount(register(deps.settings.PASSWORD_MIN_LENGTH), async ({ body, visitor, request, reply }) => {
    /** Forms that are refused do not count, but for what could be found out by sending many: addresses and promo codes. */
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (isGuess(error)) deps.registrationGuesses.add(visitor.source);
        throw error;
      }
    };

    const wait = deps.newAccounts.wait(visitor.source);
    if (wait > 0) throw tooMuch('too_many_requests', wait);

    const guesses = deps.registrationGuesses.wait(visitor.source);
    if (guesses > 0) throw tooMuch('too_many_requests', guesses);

    const applicant = await counted(() => examine(deps, body));
    const place = { source: visitor.source, lane: 'usual' } as const;
    const passwordHash = await deps.gate.run(place, () => deps.passwords.hash(applicant.password));
    const deviceToken = deviceTokenOf(request, deps.cookies);
    const registered = await counted(() => admit(deps, { applicant, passwordHash, deviceToken, visitor }));
    deps.newAccounts.add(visitor.source);

    await endFormerSession(deps, request);
    setDeviceCookie(reply, deps.cookies, registered.deviceToken);
    renewCsrf(deps, reply, registered.sessionId);
    return grantSession(deps, reply, { ...registered, generation: 0 });
  });
}

const isGuess = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.code === 'account_exists' || error.detail.fields?.some(({ code }) => code === 'promo_code_unknown') === true);
