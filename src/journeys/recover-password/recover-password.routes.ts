import { setTimeout } from 'node:timers/promises';
import { tooMuch } from '../../contract/failures.ts';
import type { Mount } from '../../http/mount.ts';
import { browserOf } from '../../http/session/browser.ts';
import { csrfTokenOf } from '../../http/session/csrf.ts';
import { addToRequestLog } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './recover-password.contract.ts';
import { openResetLink, requestRecovery, resetPassword } from './recover-password.ts';

const responseDelay = 120;

export function recoverPasswordRoutes(mount: Mount, service: Service): void {
  mount(contract.requestRecovery, async ({ body, visitor, request }) => {
    const deviceToken = service.cookies.read(request, 'device');
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

  mount(contract.resetPassword, async ({ body, request, reply }) => {
    const browser = browserOf(service, request);
    const reset = { ...body, opener: csrfTokenOf(request), browser };
    const { accountId, deviceToken } = await resetPassword(service, reset);
    addToRequestLog(request, { account: accountId });
    if (deviceToken) service.cookies.set(reply, 'device', deviceToken);
  });
}
