import type { Mount } from '../../http/mount.ts';
import { countFrom, countOf } from '../../http/rate-limits/rate-limiter.ts';
import { browserOf, ensurePasskeyCookie } from '../../http/session/browser.ts';
import { grantAdmission } from '../../http/session/grant-session.ts';
import type { Service } from '../../server/service.ts';
import {
  createPasskey,
  listPasskeys,
  removePasskey,
  removePassword,
  renamePasskey,
  requestCreation,
} from './manage-passkeys.ts';
import * as contract from './passkeys.contract.ts';
import { requestSignIn, signInByPasskey } from './sign-in-by-passkey.ts';

export function passkeysRoutes(mount: Mount, service: Service): void {
  mount(contract.passkeyChallenge, ({ visitor, request, reply }) => {
    countFrom(service.passkeyChallenges, contract.passkeyChallenge, visitor);
    return requestSignIn(service, ensurePasskeyCookie(service, request, reply));
  });

  mount(contract.loginByPasskey, async ({ body, request, reply }) => {
    const browserSecret = service.cookies.read(request, 'passkeys');
    const browser = browserOf(service, request, body);
    return grantAdmission(service, reply, await signInByPasskey(service, { ...body, browserSecret, browser }));
  });

  mount(contract.listPasskeys, ({ signedIn: { accountId } }) => listPasskeys(service, accountId));

  mount(contract.newPasskeyChallenge, ({ signedIn: { account, sessionId }, body, request, reply }) => {
    countOf(service.changesOfAccount, contract.newPasskeyChallenge, { by: account.id, reply });
    const browserSecret = ensurePasskeyCookie(service, request, reply);
    return requestCreation(service, { account, sessionId, browserSecret, automatic: body.automatic === true });
  });

  mount(contract.addPasskey, ({ signedIn: { account, sessionId }, body, visitor, request, reply }) => {
    countOf(service.changesOfAccount, contract.addPasskey, { by: account.id, reply });
    const browserSecret = service.cookies.read(request, 'passkeys');
    return createPasskey(service, { account, sessionId, ...body, browserSecret, visitor });
  });

  mount.change(contract.renamePasskey, {}, (trx, { accountId }, { params: { id }, body: { name } }) =>
    renamePasskey(trx, { accountId, id, name }),
  );

  mount.change(contract.removePasskey, {}, (trx, owner, { params: { id } }) =>
    removePasskey(service, trx, { ...owner, id }),
  );

  mount.change(contract.removePassword, {}, removePassword);
}
