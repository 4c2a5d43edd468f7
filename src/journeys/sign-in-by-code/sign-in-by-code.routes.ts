import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import {
  clearMailCodeCookie,
  deviceTokenOf,
  mailCodeSecretOf,
  setDeviceCookie,
  setMailCodeCookie,
} from '../../http/session/cookies.ts';
import { renewCsrf } from '../../http/session/csrf.ts';
import { endFormerSession } from '../../http/session/end-former-session.ts';
import { grantSession } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/foundation.ts';
import * as contract from './sign-in-by-code.contract.ts';
import { requestCode, signInByCode } from './sign-in-by-code.ts';

/** Milliseconds. */
const answerAfter = 120;

export function signInByCodeRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.requestCode, async ({ body, visitor, request, reply }) => {
    const held = service.codes.freeAt(visitor.source);
    if (held > 0) throw tooMuch(contract.requestCode, 'too_many_requests', held - service.now());
    const wish = { ...body, visitor, deviceToken: deviceTokenOf(request, service.cookies) };
    // Long enough for either case, so that the time tells nobody whether there is an account.
    const [asked] = await Promise.all([requestCode(service, wish), setTimeout(answerAfter)]);
    if (asked.state === 'refused') {
      if (asked.anyAddress) service.codes.hold(visitor.source, asked.freeAt);
      throw tooMuch(contract.requestCode, 'too_many_requests', asked.freeAt - service.now());
    }
    setMailCodeCookie(reply, service.cookies, asked.secret);
    return {};
  });

  mount(contract.loginByCode, async ({ body, visitor, request, reply }) => {
    const secret = mailCodeSecretOf(request, service.cookies);
    const deviceToken = deviceTokenOf(request, service.cookies);
    const begun = await signInByCode(service, { ...body, secret, deviceToken, visitor });
    await endFormerSession(service, request);
    clearMailCodeCookie(reply, service.cookies);
    if (!body.shared) setDeviceCookie(reply, service.cookies, begun.deviceToken);
    renewCsrf(service, reply, begun.sessionId);
    return grantSession(service, reply, { ...begun, generation: 0, shared: body.shared });
  });
}
