import type { Mount } from '../../../http/mount.ts';
import type { Service } from '../../../server/service.ts';
import * as contract from './second-step-settings.contract.ts';
import * as settings from './second-step-settings.ts';
import { readSecurity } from './second-step-settings.ts';

export function secondStepSettingsRoutes(mount: Mount, service: Service): void {
  mount(contract.readSecurity, ({ signedIn }) => readSecurity(service, signedIn.account));
  if (service.config.SECOND_STEP === 'off') return;

  mount.change(contract.beginAuthenticator, { limit: service.changesOfAccount }, (trx, owner) =>
    settings.beginAuthenticator(service, trx, owner),
  );

  mount(contract.confirmAuthenticator, ({ signedIn, body, visitor }) =>
    settings.confirmAuthenticator(service, { ...signedIn, code: body.code, visitor }),
  );

  mount.change(contract.removeAuthenticator, {}, settings.removeAuthenticator);

  mount.change(contract.renewRecoveryCodes, { limit: service.changesOfAccount }, (trx, owner) =>
    settings.renewRecoveryCodes(service, trx, owner),
  );

  mount.change(contract.keepSecondStep, {}, settings.keepSecondStep);

  mount.change(contract.forgetRememberedDevices, {}, settings.forgetRememberedDevices);
}
