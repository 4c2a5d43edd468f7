import type { FastifyInstance } from 'fastify';
import type { Lane } from '../../http/gate/lanes.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { deviceTokenOf, setDeviceCookie } from '../../http/session/cookies.ts';
import { renewCsrf } from '../../http/session/csrf.ts';
import { formerSessionOf } from '../../http/session/end-former-session.ts';
import { grantSession } from '../../http/session/grant-session.ts';
import { tellOf } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/foundation.ts';
import { login } from './sign-in.contract.ts';
import { type Attempt, lookUp, signIn, untilDecided } from './sign-in.ts';

export function signInRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(login, async ({ body, visitor, request, reply }) => {
    const deviceToken = deviceTokenOf(request, service.cookies);
    const attempt = { ...body, visitor, deviceToken, former: formerSessionOf(service, request) };
    const found = await service.lookups.run({ from: visitor, lane: 'usual' }, () => lookUp(service, attempt));
    tellOf(request, { account: found.account?.id });
    if (found.lockedUntil > 0) throw tooMuch(login, 'too_many_attempts', found.lockedUntil - service.now());

    const alone = found.known ? `account ${found.account?.id}` : found.lock;
    const place = { from: visitor, lane: laneOf(service, { found, visitor }), alone };
    const uncount = countAttempt(service, { found, visitor });
    const work = () => service.gate.run(place, () => signIn(service, attempt, found));
    const verdict = await untilDecided(work).catch((error: unknown) => {
      uncount();
      throw error;
    });
    if (verdict.state !== 'refused') uncount();
    if (verdict.state === 'locked') throw tooMuch(login, 'too_many_attempts', verdict.until - service.now());
    if (verdict.state === 'refused') throw verdict.failure;
    if (!body.shared) setDeviceCookie(reply, service.cookies, verdict.deviceToken);
    renewCsrf(service, reply, verdict.sessionId);
    return grantSession(service, reply, { ...verdict, generation: 0, shared: body.shared });
  });
}

type Approach = Awaited<ReturnType<typeof lookUp>>;

interface Attempter {
  readonly found: Approach;
  readonly visitor: Attempt['visitor'];
}

/**
 * An address with many failures is not refused, since an office or a mobile network shares one: it waits in a lane with
 * fewer turns, and the known devices behind it do not. Nor does anybody sign in to one account many times in a row.
 */
function laneOf(service: Service, { found, visitor }: Attempter): Lane {
  if (service.signInsOfAccount.wait(accountOf(found)) > 0) return 'late';
  if (found.known) return 'known';
  return service.signInFailures.wait(visitor) > 0 ? 'late' : 'usual';
}

/** Every attempt counts as a failure until it is known to be none: else any number at once would count for nothing. */
function countAttempt(service: Service, { found, visitor }: Attempter): () => void {
  service.signInsOfAccount.count(accountOf(found));
  return service.signInFailures.count(visitor);
}

/** An account, or one of its devices: what the lock is of. */
const accountOf = ({ lock }: Approach) => ({ source: lock, networks: [] });
