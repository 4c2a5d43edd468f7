import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../../http/mount.ts';
import { countOf } from '../../../http/rate-limits/count-of.ts';
import type { Service } from '../../../server/service.ts';
import { readSecurity } from './read-security.ts';
import * as contract from './second-step-settings.contract.ts';
import * as settings from './second-step-settings.ts';

export function secondStepSettingsRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.readSecurity, ({ signedIn }) => readSecurity(service, signedIn.account));
  if (service.config.SECOND_STEP === 'off') return;

  mount(contract.beginAuthenticator, ({ signedIn, visitor }) => {
    countOf(service.changesOfAccount, contract.beginAuthenticator, signedIn.accountId);
    return settings.beginAuthenticator(service, { ...signedIn, visitor });
  });

  mount(contract.confirmAuthenticator, ({ signedIn, body, visitor }) =>
    settings.confirmAuthenticator(service, { ...signedIn, code: body.code, visitor }),
  );

  mount(contract.removeAuthenticator, ({ signedIn, visitor }) =>
    settings.removeAuthenticator(service, { ...signedIn, visitor }),
  );

  mount(contract.renewRecoveryCodes, async ({ signedIn, visitor }) => {
    countOf(service.changesOfAccount, contract.renewRecoveryCodes, signedIn.accountId);
    return { recovery_codes: await settings.renewRecoveryCodes(service, { ...signedIn, visitor }) };
  });

  mount(contract.keepSecondStep, ({ signedIn, visitor }) => settings.keepSecondStep(service, { ...signedIn, visitor }));

  mount(contract.forgetRememberedDevices, ({ signedIn, visitor }) =>
    settings.forgetRememberedDevices(service, { ...signedIn, visitor }),
  );
}
