import type { FastifyInstance } from 'fastify';
import { stepUpChallenge as challengeContract, stepUp as contract } from '../../contract/sign-in/step-up.ts';
import { mountOn } from '../../http/mount.ts';
import { countOf } from '../../http/rate-limits/count-of.ts';
import { passkeySecretOf } from '../../http/session/cookies.ts';
import { grantAccess } from '../../http/session/grant-session.ts';
import { ensurePasskeyCookie } from '../../http/session/passkey-cookie.ts';
import type { Service } from '../../server/service.ts';
import { stepUp } from './step-up.ts';
import { requestStepUp } from './step-up-by-passkey.ts';

export function stepUpRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  if (service.config.relyingParty)
    mount(challengeContract, ({ signedIn: { accountId, sessionId }, request, reply }) => {
      countOf(service.changesOfAccount, challengeContract, accountId);
      const browserSecret = ensurePasskeyCookie(service, request, reply);
      return requestStepUp(service, { accountId, sessionId, browserSecret });
    });

  mount(contract, async ({ signedIn, body: proof, visitor, request }) => {
    const browserSecret = passkeySecretOf(request, service.cookies);
    const authentication = await stepUp(service, { ...signedIn, visitor, proof, browserSecret });
    return grantAccess(service, { ...signedIn, ...authentication });
  });
}
