import type { FastifyInstance } from 'fastify';
import { deviceTokenOf, setDeviceCookie } from '../../http/cookies.ts';
import { renewCsrf } from '../../http/csrf.ts';
import { endFormerSession } from '../../http/end-former-session.ts';
import type { Lane } from '../../http/fair-gate.ts';
import { grantSession } from '../../http/grant-session.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import type { Service } from '../../server/foundation.ts';
import { login } from './sign-in.contract.ts';
import { approach, lockOf, signIn, untilDecided } from './sign-in.ts';

export function signInRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(login, async ({ body, visitor, request, reply }) => {
    const attempt = { ...body, visitor, deviceToken: deviceTokenOf(request, service.cookies) };
    const found = await approach(service, attempt);
    const lockedUntil = await lockOf(service, found);
    if (lockedUntil > 0) throw tooMuch(login, 'too_many_attempts', lockedUntil - service.now());

    const lane = laneOf(found.known, service.signInFailures.wait(visitor.source));
    const place = { source: visitor.source, lane };
    const verdict = await untilDecided(() => service.gate.run(place, () => signIn(service, attempt, found)));
    if (verdict.state === 'locked') throw tooMuch(login, 'too_many_attempts', verdict.until - service.now());
    if (verdict.state === 'refused') {
      service.signInFailures.add(visitor.source);
      throw verdict.failure;
    }
    await endFormerSession(service, request);
    setDeviceCookie(reply, service.cookies, verdict.deviceToken);
    renewCsrf(service, reply, verdict.sessionId);
    return grantSession(service, reply, { ...verdict, generation: 0 });
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
