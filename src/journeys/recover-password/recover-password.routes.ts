import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { tooMuch } from '../../contract/failures.ts';
import { mountOn } from '../../http/mount.ts';
import { browserOf } from '../../http/session/browser.ts';
import { deviceTokenOf, setDeviceCookie } from '../../http/session/cookies.ts';
import { addToRequestLog } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './recover-password.contract.ts';
import { judgePassword, openResetLink, requestRecovery, resetPassword } from './recover-password.ts';

/** Milliseconds. */
const responseDelay = 120;

export function recoverPasswordRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.requestRecovery, async ({ body, visitor, request }) => {
    const deviceToken = deviceTokenOf(request, service.cookies);
    const freeAt = service.recoveryRefusals.freeAt(visitor.source);
    // The database decides whether the account knows the device.
    if (freeAt > 0 && deviceToken === undefined)
      throw tooMuch(contract.requestRecovery, 'too_many_requests', freeAt - service.now());
    const asked = { ...body, visitor, deviceToken };
    // Longer than either case takes, so that the response time does not reveal whether the account exists.
    const [nextAt] = await Promise.all([requestRecovery(service, asked), setTimeout(responseDelay)]);
    if (nextAt === 0) return {};
    service.recoveryRefusals.refuse(visitor.source, nextAt);
    throw tooMuch(contract.requestRecovery, 'too_many_requests', nextAt - service.now());
  });

  mount(contract.checkResetLink, async ({ body }) => {
    await openResetLink(service, contract.checkResetLink, body);
  });

  mount(contract.resetPassword, async ({ body, visitor, request, reply }) => {
    const link = await openResetLink(service, contract.resetPassword, body);
    addToRequestLog(request, { account: link.account_id });
    judgePassword(service, link, body.password);
    const passwordHash = await service.gate.run({ from: visitor }, () => service.passwords.hash(body.password));
    const browser = browserOf(service, request);
    const { deviceToken } = await resetPassword(service, { hash: body.hash, passwordHash, link, browser });
    if (deviceToken) setDeviceCookie(reply, service.cookies, deviceToken);
  });
}
