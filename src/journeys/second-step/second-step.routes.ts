import type { FastifyRequest } from 'fastify';
import { iso } from '../../contract/units.ts';
import type { Mount } from '../../http/mount.ts';
import { countFrom } from '../../http/rate-limits/rate-limiter.ts';
import { browserOf, ensurePasskeyCookie } from '../../http/session/browser.ts';
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
    token: cookies.read(request, 'pending_sign_in'),
    deviceToken: cookies.read(request, 'device'),
    visitor: request.visitor,
  });

  mount(contract.pendingSignIn, ({ request }) => readPendingSignIn(service, pendingOf(request)));

  if (service.config.relyingParty)
    mount(contract.secondStepChallenge, ({ request, reply, visitor }) => {
      countFrom(service.passkeyChallenges, contract.secondStepChallenge, visitor);
      const browserSecret = ensurePasskeyCookie(service, request, reply);
      return requestSecondStep(service, { pending: pendingOf(request), browserSecret });
    });

  mount(contract.secondStep, async ({ body: { remember: remembers, ...proof }, request, reply }) => {
    const remember = remembers === true;
    const step = { pending: pendingOf(request), browser: browserOf(service, request), remember };
    const browserSecret = cookies.read(request, 'passkeys');
    const admitted = await completeSignIn(service, { ...step, proof, browserSecret });
    cookies.clear(reply, 'pending_sign_in');
    return grantAdmission(service, reply, admitted);
  });

  mount(contract.secondStepLost, async ({ request }) => ({
    removal_at: iso(await loseSecondStep(service, pendingOf(request))),
  }));

  mount(contract.stopRemoval, ({ body, visitor, request }) =>
    keepByLink(service, { secret: body.hash, opener: csrfTokenOf(request), visitor }),
  );
}
