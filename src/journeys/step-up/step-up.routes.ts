import * as contract from '../../contract/sign-in/step-up.ts';
import type { Mount } from '../../http/mount.ts';
import { countOf } from '../../http/rate-limits/rate-limiter.ts';
import { ensurePasskeyCookie } from '../../http/session/browser.ts';
import { grantAccess } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import { requestStepUp, stepUp } from './step-up.ts';

export function stepUpRoutes(mount: Mount, service: Service): void {
  if (service.config.relyingParty)
    mount(contract.stepUpChallenge, ({ signedIn: { accountId, sessionId }, request, reply }) => {
      countOf(service.changesOfAccount, contract.stepUpChallenge, { by: accountId, reply });
      const browserSecret = ensurePasskeyCookie(service, request, reply);
      return requestStepUp(service, { accountId, sessionId, browserSecret });
    });

  mount(contract.stepUp, async ({ signedIn, body: proof, visitor, request }) => {
    const browserSecret = service.cookies.read(request, 'passkeys');
    const authentication = await stepUp(service, { ...signedIn, visitor, proof, browserSecret });
    return grantAccess(service, { ...signedIn, ...authentication });
  });
}
