import type { FastifyInstance, FastifyRequest } from 'fastify';
import { iso } from '../../contract/iso-time.ts';
import { mountOn } from '../../http/mount.ts';
import { browserOf } from '../../http/session/browser.ts';
import { clearPendingSignInCookie, deviceTokenOf, pendingSignInOf } from '../../http/session/cookies.ts';
import { grantAdmission } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { keepByLink, loseSecondStep } from './lose-second-step.ts';
import { readPendingSignIn } from './open-pending-sign-in.ts';
import * as contract from './second-step.contract.ts';

/** The second step of a sign-in, and the link that stops its removal. */
export function secondStepRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { cookies } = service;
  const pendingOf = (request: FastifyRequest) => ({
    token: pendingSignInOf(request, cookies),
    deviceToken: deviceTokenOf(request, cookies),
    visitor: request.visitor,
  });

  mount(contract.pendingSignIn, ({ request }) => readPendingSignIn(service, pendingOf(request)));

  mount(contract.secondStep, async ({ body: { remember, ...proof }, request, reply }) => {
    const browser = browserOf(service, request);
    const pending = pendingOf(request);
    const admitted = await completeSignIn(service, { pending, browser, proof, remember: remember === true });
    clearPendingSignInCookie(reply, cookies);
    return grantAdmission(service, reply, admitted);
  });

  mount(contract.secondStepLost, async ({ request }) => ({
    removal_at: iso(await loseSecondStep(service, pendingOf(request))),
  }));

  mount(contract.stopRemoval, ({ body, visitor }) => keepByLink(service, { secret: body.hash, visitor }));
}
