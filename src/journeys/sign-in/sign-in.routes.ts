import type { Mount } from '../../http/mount.ts';
import { browserOf } from '../../http/session/browser.ts';
import { grantAdmission } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import { login } from './sign-in.contract.ts';
import { signIn } from './sign-in.ts';

export function signInRoutes(mount: Mount, service: Service): void {
  mount(login, async ({ body, request, reply }) =>
    grantAdmission(service, reply, await signIn(service, { ...body, browser: browserOf(service, request, body) })),
  );
}
