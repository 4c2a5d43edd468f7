import type { ResponseBody } from '../../../contract/endpoint.ts';
import { isoOrNull } from '../../../contract/iso-time.ts';
import { isPassword } from '../../../security/foreign/hashes.ts';
import type { Service } from '../../../server/service.ts';
import { countRemembered } from '../../../store/access/devices.ts';
import { countRecoveryCodes } from '../../../store/access/second-step/recovery-codes.ts';
import { removalDueAt } from '../../../store/access/second-step/removals.ts';
import { signInMethodsOf } from '../../../store/access/sign-in-methods.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import type { readSecurity as contract } from './second-step-settings.contract.ts';

/** How the owner of an account signs in. */
export async function readSecurity(service: Service, account: AccountsTable): Promise<ResponseBody<typeof contract>> {
  const { store, config, now } = service;
  const { id: accountId, password_hash } = account;
  const methods = await signInMethodsOf(service, account, { password: isPassword(password_hash) });
  return {
    ...methods,
    recovery_codes_left: await countRecoveryCodes(store, accountId),
    remembered_devices: await countRemembered(store, { accountId, now: now() }),
    removal_at: isoOrNull(await removalDueAt(store, accountId)),
    second_step_missing: config.SECOND_STEP === 'required' && !methods.authenticator,
  };
}
