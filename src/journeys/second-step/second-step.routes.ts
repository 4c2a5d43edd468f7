import type { FastifyRequest } from 'fastify';
import { tooMuch } from '../../contract/failures.ts';
import { iso } from '../../contract/units.ts';
import type { Mount } from '../../http/mount.ts';
import { browserOf, ensurePasskeyCookie } from '../../http/session/browser.ts';
import {
  clearPendingSignInCookie,
  deviceTokenOf,
  passkeySecretOf,
  pendingSignInOf,
} from '../../http/session/cookies.ts';
import { csrfTokenOf } from '../../http/session/csrf.ts';
import { grantAdmission } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import { completeSignIn, readPendingSignIn, requestSecondStep } from './complete-sign-in.ts';
import { keepByLink, loseSecondStep } from './lose-second-step.ts';
import * as contract from './second-step.contract.ts';

/** The second step of a sign-in, and the link that stops its removal. */
export function secondStepRoutes(mount: Mount, service: Service): void {
  const { cookies } = service;
  const pendingOf = (request: FastifyRequest) => ({
    token: pendingSignInOf(request, cookies),
    deviceToken: deviceTokenOf(request, cookies),
    visitor: request.visitor,
  });

  mount(contract.pendingSignIn, ({ request }) => readPendingSignIn(service, pendingOf(request)));

  if (service.config.relyingParty)
    mount(contract.secondStepChallenge, ({ request, reply, visitor }) => {
      const wait = service.passkeyChallenges.wait(visitor);
      if (wait > 0) throw tooMuch(contract.secondStepChallenge, 'too_many_requests', wait);
      service.passkeyChallenges.count(visitor);
      const browserSecret = ensurePasskeyCookie(service, request, reply);
      return requestSecondStep(service, { pending: pendingOf(request), browserSecret });
    });

  mount(contract.secondStep, async ({ body: { remember: remembers, ...proof }, request, reply }) => {
    const remember = remembers === true;
    const step = { pending: pendingOf(request), browser: browserOf(service, request), remember };
    const browserSecret = passkeySecretOf(request, cookies);
    const admitted = await completeSignIn(service, { ...step, proof, browserSecret });
    clearPendingSignInCookie(reply, cookies);
    return grantAdmission(service, reply, admitted);
  });

  mount(contract.secondStepLost, async ({ request }) => ({
    removal_at: iso(await loseSecondStep(service, pendingOf(request))),
  }));

  mount(contract.stopRemoval, ({ body, visitor, request }) =>
    keepByLink(service, { secret: body.hash, opener: csrfTokenOf(request), visitor }),
  );
}
