import { setTimeout } from 'node:timers/promises';
import { tooMuch } from '../../contract/failures.ts';
import type { Mount } from '../../http/mount.ts';
import { browserOf } from '../../http/session/browser.ts';
import { grantAdmission } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './sign-in-by-code.contract.ts';
import { requestCode, signInByCode } from './sign-in-by-code.ts';

const responseDelay = 120;

export function signInByCodeRoutes(mount: Mount, service: Service): void {
  mount(contract.requestCode, async ({ body, visitor, request, reply }) => {
    const deviceToken = service.cookies.read(request, 'device');
    const freeAt = service.codeRefusals.freeAt(visitor.source);
    // The database decides whether the account knows the device.
    if (freeAt > 0 && deviceToken === undefined)
      throw tooMuch(contract.requestCode, 'too_many_requests', freeAt - service.now());
    const earlier = service.cookies.readAll(request, 'mail_code');
    const wish = { ...body, visitor, deviceToken, earlier };
    // Longer than either case takes, so that the response time does not reveal whether the account exists.
    const [asked] = await Promise.all([requestCode(service, wish), setTimeout(responseDelay)]);
    if (asked.state === 'refused') {
      if (asked.anyAddress) service.codeRefusals.refuse(visitor.source, asked.freeAt);
      throw tooMuch(contract.requestCode, 'too_many_requests', asked.freeAt - service.now());
    }
    service.cookies.set(reply, 'mail_code', asked.secrets.join('.'));
    return {};
  });

  mount(contract.loginByCode, async ({ body, request, reply }) => {
    const secrets = service.cookies.readAll(request, 'mail_code');
    const admitted = await signInByCode(service, { ...body, secrets, browser: browserOf(service, request, body) });
    service.cookies.clear(reply, 'mail_code');
    return grantAdmission(service, reply, admitted);
  });
}
