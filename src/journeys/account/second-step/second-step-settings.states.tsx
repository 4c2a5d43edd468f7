import type { ResponseBody } from '../../../contract/endpoint.ts';
import { type Act, press, type } from '../../../gallery/acts.ts';
import { over, signedIn } from '../../../gallery/examples/account.ts';
import { answers, type Reply } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.ts';
import { listPasskeys } from '../../passkeys/passkeys.contract.ts';
import { account, ended } from '../account.states.tsx';
import {
  beginAuthenticator,
  confirmAuthenticator,
  forgetRememberedDevices,
  keepSecondStep,
  readSecurity,
  removeAuthenticator,
  renewRecoveryCodes,
} from './second-step-settings.contract.ts';

type Security = ResponseBody<typeof readSecurity>;

/** A new account: a password, nothing else. */
const plain: Security = {
  password: true,
  passkeys: 0,
  authenticator: false,
  recovery_codes_left: 0,
  remembered_devices: 0,
  removal_at: null,
  second_step_missing: false,
};
const strong: Security = { ...plain, authenticator: true, recovery_codes_left: 8, remembered_devices: 2 };

const none = answers(listPasskeys, { passkeys: [] });
/** The replies that the security page of a new account reads before it shows the activity. */
export const methods = [answers(readSecurity, plain), none];

const withSecurity = (security: Partial<Security>, acts: readonly Act[] = [], replies: readonly Reply[] = []) =>
  ({
    ...signedIn,
    replies: [...replies, answers(readSecurity, { ...plain, ...security }), none, account],
    acts,
  }) satisfies Partial<State>;

const begun = answers(beginAuthenticator, {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Vestibule:anna@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Vestibule',
  expires_in: 600,
});
const codes = Array.from({ length: 10 }, (_, at) => `${at}bcd-ef${at}h-jk${at}m`);
const open = [press('security.authenticator_add')];
const confirm = [...open, type({ authenticator_code: '123456' })];
const renew = [press('security.recovery_renew')];
const renewAct = [...renew, press('security.recovery_renew')];
const off = [press('security.authenticator_remove'), press('security.authenticator_remove')];
const forget = [press('security.remembered_forget'), press('security.remembered_forget')];
const details = { code_incorrect: { attempts_left: 3 }, too_many_attempts: { minutes: 4 } };
const removal_at = '2026-01-02T12:00:00Z';

const refused = (
  prefix: string,
  endpoint: Parameters<typeof refusalsOf>[0],
  { replies, ...from }: ReturnType<typeof withSecurity>,
) =>
  Object.fromEntries(
    Object.entries(
      refusalsOf(endpoint, { from: { ...from, replies: [...over, ...replies] }, details, words: ended }),
    ).map(([name, state]) => [`${prefix}, ${name}`, state]),
  );

export const states: readonly States[] = [
  {
    of: 'Authenticator app',
    page: 'account-security',
    states: {
      off: { ...withSecurity({}), shows: ['security.off', 'security.authenticator_off', 'security.authenticator_add'] },
      'key on its way': { ...withSecurity({}, open), shows: ['account.cancel'] },
      'to scan': {
        ...withSecurity({}, open, [begun]),
        shows: ['security.authenticator_scan', 'security.authenticator_key', 'security.authenticator_code'],
      },
      canceled: {
        ...withSecurity({}, [...open, press('account.cancel')], [begun]),
        shows: ['security.authenticator_add'],
      },
      'nothing typed': {
        ...withSecurity({}, [...open, press('security.authenticator_confirm')], [begun]),
        shows: ['invalid.required'],
      },
      ...refused('begin', beginAuthenticator, withSecurity({}, open)),
      ...refused('confirm', confirmAuthenticator, withSecurity({}, confirm, [begun])),
      'key expired': {
        ...withSecurity({}, confirm, [begun, answers(confirmAuthenticator, {})]),
        shows: ['security.off'],
      },
      'recovery codes': {
        ...withSecurity({}, confirm, [begun, answers(confirmAuthenticator, { recovery_codes: codes })]),
        shows: ['security.recovery_shown', 'security.recovery_print', 'security.recovery_saved', 'account.download'],
      },
      'set up': {
        ...withSecurity(
          strong,
          [...renewAct, press('security.recovery_saved')],
          [answers(renewRecoveryCodes, { recovery_codes: codes })],
        ),
        shows: ['security.on', 'security.authenticator_on'],
      },
      on: { ...withSecurity(strong), shows: ['security.on', 'security.recovery_left', 'security.remembered_count'] },
      'turning off': {
        ...withSecurity(strong, [press('security.authenticator_remove')]),
        shows: ['security.authenticator_remove_text', 'account.cancel'],
      },
      ...refused('turning off', removeAuthenticator, withSecurity(strong, off)),
      'turned off': {
        ...withSecurity(strong, off, [answers(removeAuthenticator, undefined)]),
        shows: ['security.authenticator_removed'],
      },
    },
  },
  {
    of: 'Recovery codes',
    page: 'account-security',
    states: {
      few: { ...withSecurity({ ...strong, recovery_codes_left: 3 }), shows: ['security.recovery_few'] },
      'asked first': { ...withSecurity(strong, renew), shows: ['security.recovery_renew_text'] },
      ...refused('renewing', renewRecoveryCodes, withSecurity(strong, renewAct)),
      renewed: {
        ...withSecurity(strong, renewAct, [answers(renewRecoveryCodes, { recovery_codes: codes })]),
        shows: ['security.recovery_shown'],
      },
    },
  },
  {
    of: 'Remembered devices',
    page: 'account-security',
    states: {
      'asked first': {
        ...withSecurity(strong, [press('security.remembered_forget')]),
        shows: ['security.remembered_text'],
      },
      ...refused('forgetting', forgetRememberedDevices, withSecurity(strong, forget)),
      forgotten: {
        ...withSecurity(strong, forget, [answers(forgetRememberedDevices, undefined)]),
        shows: ['security.remembered'],
      },
    },
  },
  {
    of: 'Removal of the second step',
    page: 'account',
    states: {
      planned: { ...withSecurity({ ...strong, removal_at }), shows: ['security.removal', 'security.removal_stop'] },
      ...refused('stopping', keepSecondStep, withSecurity({ ...strong, removal_at }, [press('security.removal_stop')])),
      required: { ...withSecurity({ second_step_missing: true }), shows: ['security.missing'] },
    },
  },
];
