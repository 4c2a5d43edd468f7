import type { FastifyInstance } from 'fastify';
import { confirmEmail as confirmEmailContract, readAccount } from '../../contract/account.ts';
import { mountOn } from '../../http/mount.ts';
import { countOf } from '../../http/rate-limits/count-of.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import { clearSessionCookies, deviceTokenOf } from '../../http/session/cookies.ts';
import { renewCsrf } from '../../http/session/csrf.ts';
import { addToRequestLog } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './account.contract.ts';
import { openDescriptions } from './account.ts';
import { changeAccount } from './change-account.ts';
import * as email from './contacts/change-email.contract.ts';
import { changeEmail } from './contacts/change-email.ts';
import { changePhone } from './contacts/change-phone.ts';
import { confirmEmail } from './contacts/confirm-email.ts';
import { requestEmailChange } from './contacts/request-email-change.ts';
import { resendConfirmation } from './contacts/resend-confirmation.ts';
import { undoEmailChange } from './contacts/undo-email-change.ts';
import { deleteAccount } from './leaving/delete-account.ts';
import { exportAccount as exportContract } from './leaving/export-account.contract.ts';
import { exportAccount } from './leaving/export-account.ts';
import { changePassword } from './password/change-password.ts';
import * as sessions from './sessions/sessions.contract.ts';
import { activityOf, devicesOf, endOtherSessions, endSession, forgetDevice, sessionsOf } from './sessions/sessions.ts';

export function accountRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { describe, describeAnew } = openDescriptions(service);

  mount(readAccount, ({ signedIn }) => describe(signedIn.account));

  mount(confirmEmailContract, ({ signedIn, body }) => confirmEmail(service, { ...signedIn, hash: body.hash }));

  mount(contract.changeAccount, async ({ signedIn: { accountId, sessionId }, body, visitor }) => {
    countOf(service.changesOfAccount, contract.changeAccount, accountId);
    await changeAccount(service, { accountId, sessionId, changes: body, visitor });
    return describeAnew(accountId);
  });

  mount(contract.changePassword, ({ signedIn, body, visitor, request }) =>
    changePassword(service, {
      ...signedIn,
      deviceToken: deviceTokenOf(request, service.cookies),
      currentPassword: body.current_password,
      password: body.password,
      visitor,
    }),
  );

  mount(contract.changePhone, async ({ signedIn: { accountId, sessionId }, body, visitor }) => {
    countOf(service.changesOfAccount, contract.changePhone, accountId);
    const { phone: typed, phone_confirmation: confirmation } = body;
    await changePhone(service, { accountId, sessionId, typed, confirmation, visitor });
    return describeAnew(accountId);
  });

  mount(email.requestEmailChange, async ({ signedIn, body, visitor }) => {
    await requestEmailChange(service, { ...signedIn, ...body, visitor });
    return {};
  });

  mount(email.resendConfirmation, async ({ signedIn }) => {
    await resendConfirmation(service, signedIn);
    return {};
  });

  mount(email.changeEmail, async ({ body, visitor, request }) => {
    const session = refreshTokenOf(service, request);
    const { accountId, ...changed } = await changeEmail(service, { hash: body.hash, session, visitor });
    addToRequestLog(request, { account: accountId });
    return changed;
  });

  mount(email.undoEmailChange, async ({ body, visitor, request }) => {
    const { accountId, ...undone } = await undoEmailChange(service, {
      hash: body.hash,
      visitor,
      deviceToken: deviceTokenOf(request, service.cookies),
    });
    addToRequestLog(request, { account: accountId });
    return undone;
  });

  mount(exportContract, ({ signedIn: { accountId }, visitor, reply }) => {
    countOf(service.exportsOfAccount, exportContract, accountId);
    reply.header('content-disposition', 'attachment; filename="account-data.json"');
    return exportAccount(service, { accountId, visitor });
  });

  mount(contract.deleteAccount, async ({ signedIn, body, visitor, reply }) => {
    await deleteAccount(service, { ...signedIn, password: body.password, visitor });
    clearSessionCookies(reply, service.cookies);
    renewCsrf(service, reply, '');
  });

  mount(sessions.listSessions, async ({ signedIn, query, request }) => ({
    sessions: await sessionsOf(service, {
      ...signedIn,
      ...query,
      deviceToken: deviceTokenOf(request, service.cookies),
    }),
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

  mount(sessions.forgetDevice, ({ signedIn, params, visitor }) =>
    forgetDevice(service, { ...signedIn, id: params.id, visitor }),
  );

  mount(sessions.readActivity, ({ signedIn: { accountId }, query }) => activityOf(service, { accountId, ...query }));
}
