import type { Browser } from '../../access/admit.ts';
import { admit, admitOnce } from '../../access/admit.ts';
import { countGuess } from '../../access/guesses.ts';
import type { Keep } from '../../access/once.ts';
import { requestUse, type UsedPasskey, usePasskey } from '../../access/passkeys.ts';
import { tooMuch } from '../../contract/failures.ts';
import type { AdmissionResult } from '../../contract/sign-in/admission.ts';
import { sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { accountsOfDevice, deviceLifetime, knownDeviceOf } from '../../store/access/devices.ts';
import { loginByPasskey } from './passkeys.contract.ts';

/** Returns the options for a sign-in with any passkey of this site. */
export const requestSignIn = (service: Service, browserSecret: string) =>
  requestUse(service, { purpose: 'sign_in', browserSecret });

interface PasskeySignIn {
  readonly credential: UsedPasskey;
  readonly db_type?: string | undefined;
  /** Undefined in a browser that has requested no challenge. */
  readonly browserSecret: string | undefined;
  readonly browser: Browser;
}

/**
 * Signs in the owner of a passkey, who needs neither email nor password. Refuses with `passkey_unknown`,
 * `passkey_refused`, `challenge_expired`, `too_many_requests`, or `email_cannot_be_used` when an operator has locked the
 * account.
 */
export function signInByPasskey(service: Service, request: PasskeySignIn): Promise<AdmissionResult> {
  const { credential, browserSecret: browser } = request;
  const step = { name: 'passkey', browser, request: credential };
  return admitOnce(service, step, (keep) => admitCounted(service, request, keep));
}

/** Counts the attempt as a failure until it succeeds. */
async function admitCounted(
  service: Service,
  request: PasskeySignIn,
  keep: Keep<AdmissionResult>,
): Promise<AdmissionResult> {
  const { deviceToken, visitor: from } = request.browser;
  const uncount = await countGuess(service, {
    limit: service.passkeyFailures,
    from,
    owner: async () => {
      const tokenHash = deviceToken && sha256(deviceToken);
      if (!tokenHash) return undefined;
      const accounts = await accountsOfDevice(service.store, { tokenHash, since: service.now() - deviceLifetime });
      return accounts.length > 0 ? tokenHash : undefined;
    },
    refusal: (wait) => tooMuch(loginByPasskey, 'too_many_requests', wait),
  });
  const admitted = await admitByPasskey(service, request, keep);
  uncount();
  return admitted;
}

function admitByPasskey(
  service: Service,
  request: PasskeySignIn,
  keep: Keep<AdmissionResult>,
): Promise<AdmissionResult> {
  const { credential, db_type: dbType, browserSecret, browser } = request;
  const { deviceToken, visitor } = browser;
  const use = { endpoint: loginByPasskey, credential, purpose: 'sign_in', browserSecret, visitor } as const;
  return usePasskey(service, use, async ({ accountId, amr, redeem }) => {
    const knownDevice = await knownDeviceOf(service.store, {
      deviceHash: deviceToken && sha256(deviceToken),
      account: { id: accountId },
      now: service.now(),
    });
    return admit(service, {
      proof: { method: 'passkey', amr, redeem },
      browser,
      isKnown: knownDevice !== undefined,
      dbType,
      keep,
    });
  });
}
