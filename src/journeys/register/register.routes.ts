import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { deviceTokenOf, setDeviceCookie } from '../../http/cookies.ts';
import { renewCsrf } from '../../http/csrf.ts';
import { endFormerSession } from '../../http/end-former-session.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import type { Service } from '../../server/foundation.ts';
import { register } from './register.contract.ts';
import { admit, examine } from './register.ts';

export function registerRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(register, async ({ body, visitor, request, reply }) => {
    /** Forms that are refused do not count, but for what could be found out by sending many: addresses and promo codes. */
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (isGuess(error)) service.registrationGuesses.add(visitor.source);
        throw error;
      }
    };

    const wait = service.newAccounts.wait(visitor.source);
    if (wait > 0) throw tooMuch(register, 'too_many_requests', wait);

    const guesses = service.registrationGuesses.wait(visitor.source);
    if (guesses > 0) throw tooMuch(register, 'too_many_requests', guesses);

    const applicant = await counted(() => examine(service, body));
    const place = { source: visitor.source, lane: 'usual' } as const;
    const passwordHash = await service.gate.run(place, () => service.passwords.hash(applicant.password));
    const deviceToken = deviceTokenOf(request, service.cookies);
    const registered = await counted(() => admit(service, { applicant, passwordHash, deviceToken, visitor }));
    service.newAccounts.add(visitor.source);

    await endFormerSession(service, request);
    setDeviceCookie(reply, service.cookies, registered.deviceToken);
    renewCsrf(service, reply, registered.sessionId);
    return grantSession(service, reply, { ...registered, generation: 0 });
  });
}

const isGuess = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.code === 'account_exists' || error.detail.fields?.some(({ code }) => code === 'promo_code_unknown') === true);
