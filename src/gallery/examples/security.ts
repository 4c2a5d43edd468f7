import type { ResponseBody } from '../../contract/endpoint.ts';
import type {
  beginAuthenticator,
  readSecurity,
} from '../../journeys/account/second-step/second-step-settings.contract.ts';
import type { pendingSignIn } from '../../journeys/second-step/second-step.contract.ts';

type Security = ResponseBody<typeof readSecurity>;

/** A new account: a password, nothing else. */
export const passwordOnly: Security = {
  password: true,
  passkeys: 0,
  authenticator: false,
  recovery_codes_left: 0,
  remembered_devices: 0,
  removal_at: null,
  second_step_missing: false,
};
export const withAuthenticator: Security = {
  ...passwordOnly,
  authenticator: true,
  recovery_codes_left: 8,
  remembered_devices: 2,
};
/** When a requested removal of the second step takes effect. */
export const removal_at = '2026-01-02T12:00:00Z';

/** A sign-in that waits for its second step, by every method. */
export const pending: ResponseBody<typeof pendingSignIn> = {
  ways: ['authenticator', 'passkey', 'recovery_code'],
  removal_at: null,
};

/** The key of a new authenticator app. */
export const authenticatorKey: ResponseBody<typeof beginAuthenticator> = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Vestibule:anna@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Vestibule',
  expires_in: 600,
};
export const recoveryCodes = Array.from({ length: 10 }, (_, at) => `${at}bcd-ef${at}h-jk${at}m`);
