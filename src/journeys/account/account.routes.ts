import * as accountContract from '../../contract/account.ts';
import { tooMuch } from '../../contract/failures.ts';
import type { Mount } from '../../http/mount.ts';
import { countOf } from '../../http/rate-limits/rate-limiter.ts';
import { refreshTokenOf } from '../../http/session/browser.ts';
import { csrfTokenOf, forgetSession } from '../../http/session/csrf.ts';
import { addToRequestLog } from '../../http/telemetry/request-log.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './account.contract.ts';
import { changeAccount, changePhone, openDescriptions } from './account.ts';
import * as email from './contacts/change-email.contract.ts';
import {
  cancelEmailChange,
  changeEmail,
  confirmEmail,
  requestEmailChange,
  resendConfirmation,
} from './contacts/change-email.ts';
import { previewUndo, undoEmailChange } from './contacts/undo-email-change.ts';
import { deleteAccount } from './leaving/delete-account.ts';
import * as exportAccountContract from './leaving/export-account.contract.ts';
import { exportAccount } from './leaving/export-account.ts';
import * as secondStep from './second-step/second-step-settings.contract.ts';
import * as settings from './second-step/second-step-settings.ts';
import { changePassword } from './security/change-password.ts';
import * as sessions from './sessions/sessions.contract.ts';
import { activityOf, endOtherSessions, endSession, sessionsOf } from './sessions/sessions.ts';

export function accountRoutes(mount: Mount, service: Service): void {
  const { describe, describeChanged } = openDescriptions(service);

  mount(accountContract.readAccount, ({ signedIn }) => describe(signedIn.account));

  mount.change(accountContract.confirmEmail, {}, (trx, owner, { body }) =>
    confirmEmail(service, trx, { ...owner, hash: body.hash }),
  );

  mount.change(
    contract.changeAccount,
    { limit: service.changesOfAccount },
    (trx, owner, { body }) => changeAccount(trx, owner, body),
    (_, { signedIn }) => describeChanged(signedIn.accountId),
  );

  mount(contract.changePassword, ({ signedIn, body, visitor, request }) =>
    changePassword(service, {
      ...signedIn,
      deviceToken: service.cookies.read(request, 'device'),
      currentPassword: body.current_password,
      password: body.password,
      visitor,
    }),
  );

  mount.change(
    contract.changePhone,
    { limit: service.changesOfAccount },
    (trx, owner, { body: { phone: typed, phone_confirmation: confirmation } }) =>
      changePhone(service, trx, { ...owner, typed, confirmation }),
    (_, { signedIn }) => describeChanged(signedIn.accountId),
  );

  mount(email.requestEmailChange, async ({ signedIn, body, visitor }) => {
    await requestEmailChange(service, { ...signedIn, ...body, visitor });
    return {};
  });

  mount.change(email.cancelEmailChange, {}, cancelEmailChange);

  mount.change(
    email.resendConfirmation,
    {},
    (trx, owner) => resendConfirmation(service, trx, owner),
    (nextAt) => {
      if (nextAt > 0) throw tooMuch(email.resendConfirmation, 'too_many_mails', nextAt - service.now());
      return {};
    },
  );

  mount(email.changeEmail, async ({ body, visitor, request }) => {
    const session = refreshTokenOf(service, request);
    const opener = csrfTokenOf(request);
    const { accountId, ...changed } = await changeEmail(service, { hash: body.hash, opener, session, visitor });
    addToRequestLog(request, { account: accountId });
    return changed;
  });

  mount(email.undoEmailChange, async ({ body, visitor, request }) => {
    const { accountId, ...undone } = await undoEmailChange(service, {
      hash: body.hash,
      opener: csrfTokenOf(request),
      visitor,
      deviceToken: service.cookies.read(request, 'device'),
    });
    addToRequestLog(request, { account: accountId });
    return undone;
  });

  mount(email.previewUndo, ({ body, visitor, request }) =>
    previewUndo(service, {
      hash: body.hash,
      opener: csrfTokenOf(request),
      visitor,
      deviceToken: service.cookies.read(request, 'device'),
    }),
  );

  mount(exportAccountContract.exportWith(service.parts), ({ signedIn: { accountId }, visitor, reply }) => {
    countOf(service.exportsOfAccount, exportAccountContract.exportAccount, { by: accountId, reply });
    reply.header('content-disposition', 'attachment; filename="account-data.json"');
    return exportAccount(service, { accountId, visitor });
  });

  mount(contract.deleteAccount, async ({ signedIn, body, visitor, reply }) => {
    await deleteAccount(service, { ...signedIn, password: body.password, visitor });
    forgetSession(service, reply);
  });

  mount(sessions.listSessions, async ({ signedIn, query }) => ({
    sessions: await sessionsOf(service, { ...signedIn, ...query }),
  }));

  mount.change(
    sessions.endSession,
    {},
    (trx, owner, { params }) => endSession(trx, { ...owner, id: params.id, parts: service.parts }),
    (_, { signedIn, params, reply }) => {
      if (params.id !== signedIn.sessionId) return;
      forgetSession(service, reply);
    },
  );

  mount.change(sessions.endOtherSessions, {}, (trx, owner) =>
    endOtherSessions(trx, { ...owner, parts: service.parts }),
  );

  mount(sessions.readActivity, ({ signedIn: { accountId }, query }) => activityOf(service, { accountId, ...query }));

  mount(secondStep.readSecurity, ({ signedIn }) => settings.readSecurity(service, signedIn.account));
  if (service.config.SECOND_STEP === 'off') return;

  mount.change(secondStep.beginAuthenticator, { limit: service.changesOfAccount }, (trx, owner) =>
    settings.beginAuthenticator(service, trx, owner),
  );

  mount(secondStep.confirmAuthenticator, ({ signedIn, body, visitor }) =>
    settings.confirmAuthenticator(service, { ...signedIn, code: body.code, visitor }),
  );

  mount.change(secondStep.removeAuthenticator, {}, settings.removeAuthenticator);

  mount.change(secondStep.renewRecoveryCodes, { limit: service.changesOfAccount }, (trx, owner) =>
    settings.renewRecoveryCodes(service, trx, owner),
  );

  mount.change(secondStep.keepSecondStep, {}, settings.keepSecondStep);

  mount.change(secondStep.forgetRememberedDevices, {}, settings.forgetRememberedDevices);
}
