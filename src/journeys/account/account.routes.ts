import type { FastifyInstance } from 'fastify';
import { confirmEmail as confirmEmailContract, readAccount } from '../../contract/account.ts';
import { Failure } from '../../contract/failures.ts';
import type { Refusing } from '../../contract/refuse.ts';
import type { AddressLimit } from '../../http/limits/address-limits.ts';
import { mountOn } from '../../http/mount.ts';
import { tooMuch } from '../../http/problems.ts';
import { clearSessionCookies, deviceTokenOf } from '../../http/session/cookies.ts';
import { renewCsrf } from '../../http/session/csrf.ts';
import { withPassword } from '../../http/session/with-password.ts';
import type { Service } from '../../server/foundation.ts';
import * as contract from './account.contract.ts';
import { openDescriptions } from './account.ts';
import { changeAccount } from './change-account.ts';
import * as email from './contacts/change-email.contract.ts';
import { changeEmail, requestEmailChange, undoEmailChange } from './contacts/change-email.ts';
import { changePhone } from './contacts/change-phone.ts';
import { confirmEmail } from './contacts/confirm-email.ts';
import { deleteAccount } from './leaving/delete-account.ts';
import { exportAccount } from './leaving/export-account.ts';
import { changePassword, hasJustChanged } from './password/change-password.ts';
import * as sessions from './sessions/sessions.contract.ts';
import { activityOf, devicesOf, endOtherSessions, endSession, forgetDevice, sessionsOf } from './sessions/sessions.ts';

export function accountRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { describe, describeAnew } = openDescriptions(service);

  mount(readAccount, ({ signedIn }) => describe(signedIn.account));

  mount(confirmEmailContract, ({ signedIn, body }) =>
    confirmEmail(service, { accountId: signedIn.accountId, hash: body.hash }),
  );

  mount(contract.changeAccount, async ({ signedIn: { accountId }, body, visitor }) => {
    countOf(service.changesOfAccount, contract.changeAccount, accountId);
    await changeAccount(service, { accountId, changes: body, visitor });
    return describeAnew(accountId);
  });

  mount(contract.changePassword, async ({ signedIn: { accountId, sessionId }, body, visitor, request }) => {
    const asking = { endpoint: contract.changePassword, accountId, from: visitor };
    const change = withPassword(service, { ...asking, password: body.current_password }, (account) => {
      const deviceToken = deviceTokenOf(request, service.cookies);
      return changePassword(service, { account, sessionId, deviceToken, password: body.password, visitor });
    });
    await change.catch(async (error: unknown) => {
      if (!isIncorrect(error) || !(await hasJustChanged(service, { accountId, sessionId }))) throw error;
      // The answer was lost: the new password is the account's already. This is another attempt, which counts as well.
      await withPassword(service, { ...asking, password: body.password }, async () => undefined);
    });
  });

  mount(contract.changePhone, async ({ signedIn: { accountId }, body, visitor }) => {
    countOf(service.changesOfAccount, contract.changePhone, accountId);
    await changePhone(service, { accountId, typed: body.phone, confirmation: body.phone_confirmation, visitor });
    return describeAnew(accountId);
  });

  mount(email.requestEmailChange, async ({ signedIn: { accountId }, body, visitor }) => {
    const nextAt = await withPassword(
      service,
      { endpoint: email.requestEmailChange, accountId, password: body.password, from: visitor },
      (account) => requestEmailChange(service, { account, email: body.email }),
    );
    if (nextAt > 0) throw tooMuch(email.requestEmailChange, 'too_many_mails', nextAt - service.now());
    return {};
  });

  mount(email.changeEmail, ({ body, visitor }) => changeEmail(service, { hash: body.hash, visitor }));

  mount(email.undoEmailChange, ({ body, visitor }) => undoEmailChange(service, { hash: body.hash, visitor }));

  mount(contract.exportAccount, ({ signedIn: { accountId }, visitor, reply }) => {
    countOf(service.exportsOfAccount, contract.exportAccount, accountId);
    reply.header('content-disposition', 'attachment; filename="account-data.json"');
    return exportAccount(service, { accountId, visitor });
  });

  mount(contract.deleteAccount, async ({ signedIn: { accountId, sessionId }, body, visitor, reply }) => {
    await withPassword(
      service,
      { endpoint: contract.deleteAccount, accountId, password: body.password, from: visitor },
      (account) => deleteAccount(service, { account, sessionId, visitor }),
    );
    clearSessionCookies(reply, service.cookies);
    renewCsrf(service, reply, '');
  });

  mount(sessions.listSessions, async ({ signedIn, query }) => ({
    sessions: await sessionsOf(service, { ...signedIn, ...query }),
  }));

  mount(sessions.endSession, async ({ signedIn, params, visitor, reply }) => {
    await endSession(service, { ...signedIn, id: params.id, visitor });
    if (params.id !== signedIn.sessionId) return;
    clearSessionCookies(reply, service.cookies);
    renewCsrf(service, reply, '');
  });

  mount(sessions.endOtherSessions, ({ signedIn, visitor }) => endOtherSessions(service, { ...signedIn, visitor }));

  mount(sessions.listDevices, async ({ signedIn: { accountId }, query, request }) => ({
    devices: await devicesOf(service, { accountId, ...query, deviceToken: deviceTokenOf(request, service.cookies) }),
  }));

  mount(sessions.forgetDevice, ({ signedIn: { accountId }, params, visitor }) =>
    forgetDevice(service, { accountId, id: params.id, visitor }),
  );

  mount(sessions.readActivity, ({ signedIn: { accountId }, query }) => activityOf(service, { accountId, ...query }));
}

const isIncorrect = (error: unknown): boolean => error instanceof Failure && error.code === 'incorrect_password';

/** One account must not cost the others much: what it may do for nothing, it may do so often. */
function countOf(limit: AddressLimit, endpoint: Refusing<'too_many_requests'>, accountId: string): void {
  const account = { source: accountId, networks: [] };
  const wait = limit.wait(account);
  if (wait > 0) throw tooMuch(endpoint, 'too_many_requests', wait);
  limit.count(account);
}
