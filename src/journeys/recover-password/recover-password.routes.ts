import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { deviceTokenOf, setDeviceCookie } from '../../http/session/cookies.ts';
import { tellOf } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/foundation.ts';
import * as contract from './recover-password.contract.ts';
import { judgePassword, openResetLink, requestRecovery, resetPassword } from './recover-password.ts';

/** Milliseconds. */
const answerAfter = 120;

export function recoverPasswordRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.requestRecovery, async ({ body, visitor, request }) => {
    const held = service.recoveries.freeAt(visitor.source);
    if (held > 0) throw tooMuch(contract.requestRecovery, 'too_many_requests', held - service.now());
    const asked = { ...body, visitor, deviceToken: deviceTokenOf(request, service.cookies) };
    // Long enough for either case, so that the time tells nobody whether there is an account.
    const [nextAt] = await Promise.all([requestRecovery(service, asked), setTimeout(answerAfter)]);
    if (nextAt === 0) return {};
    service.recoveries.hold(visitor.source, nextAt);
    throw tooMuch(contract.requestRecovery, 'too_many_requests', nextAt - service.now());
  });

  mount(contract.checkResetLink, async ({ body }) => {
    await openResetLink(service, contract.checkResetLink, body);
  });

  mount(contract.resetPassword, async ({ body, visitor, request, reply }) => {
    const account = await openResetLink(service, contract.resetPassword, body);
    tellOf(request, { account: account.account_id });
    judgePassword(service, account, body.password);
    const place = { from: visitor, lane: 'usual' } as const;
    const passwordHash = await service.gate.run(place, () => service.passwords.hash(body.password));
    const newDeviceToken = await resetPassword(service, {
      hash: body.hash,
      passwordHash,
      account,
      deviceToken: deviceTokenOf(request, service.cookies),
      visitor,
    });
    setDeviceCookie(reply, service.cookies, newDeviceToken);
  });
}
