import { type Act, press, type } from '../../../gallery/acts.ts';
import {
  account,
  authenticatorKey,
  madeCodes,
  over,
  passwordOnly,
  removal_at,
  signedIn,
  withAuthenticator,
} from '../../../gallery/examples/account.ts';
import { answers, type Reply } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { listPasskeys } from '../../passkeys/passkeys.contract.ts';
import { ended } from '../account.states.tsx';
import {
  beginAuthenticator,
  confirmAuthenticator,
  forgetRememberedDevices,
  keepSecondStep,
  readSecurity,
  removeAuthenticator,
  renewRecoveryCodes,
} from './second-step-settings.contract.ts';

const none = answers(listPasskeys, { passkeys: [] });
/** The replies that the security page of a new account reads before it shows the activity. */
export const methods = [answers(readSecurity, passwordOnly), none];

const withSecurity = (
  security: Partial<typeof passwordOnly>,
  acts: readonly Act[] = [],
  replies: readonly Reply[] = [],
) =>
  ({
    ...signedIn,
    replies: [...replies, answers(readSecurity, { ...passwordOnly, ...security }), none, account],
    acts,
  }) satisfies Partial<State>;

const begun = answers(beginAuthenticator, authenticatorKey);
const open = [press('security.authenticator_add')];
const confirm = [...open, type({ authenticator_code: '123456' })];
const renew = [press('security.recovery_renew')];
const renewAct = [...renew, press('security.recovery_renew')];
const off = [press('security.authenticator_remove'), press('security.authenticator_remove')];
const forget = [press('security.remembered_forget'), press('security.remembered_forget')];
const details = { code_incorrect: { attempts_left: 3 }, too_many_attempts: { minutes: 4 } };

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
        ...withSecurity({}, confirm, [begun, answers(confirmAuthenticator, madeCodes)]),
        shows: ['security.recovery_shown', 'security.recovery_print', 'security.recovery_saved', 'account.download'],
      },
      'set up': {
        ...withSecurity(
          withAuthenticator,
          [...renewAct, press('security.recovery_saved')],
          [answers(renewRecoveryCodes, madeCodes)],
        ),
        shows: ['security.on', 'security.authenticator_on'],
      },
      on: {
        ...withSecurity(withAuthenticator),
        shows: ['security.on', 'security.recovery_left', 'security.remembered_count'],
      },
      'turning off': {
        ...withSecurity(withAuthenticator, [press('security.authenticator_remove')]),
        shows: ['security.authenticator_remove_text', 'account.cancel'],
      },
      ...refused('turning off', removeAuthenticator, withSecurity(withAuthenticator, off)),
      'turned off': {
        ...withSecurity(withAuthenticator, off, [answers(removeAuthenticator, undefined)]),
        shows: ['security.authenticator_removed'],
      },
    },
  },
  {
    of: 'Recovery codes',
    page: 'account-security',
    states: {
      few: { ...withSecurity({ ...withAuthenticator, recovery_codes_left: 3 }), shows: ['security.recovery_few'] },
      'asked first': { ...withSecurity(withAuthenticator, renew), shows: ['security.recovery_renew_text'] },
      ...refused('renewing', renewRecoveryCodes, withSecurity(withAuthenticator, renewAct)),
      renewed: {
        ...withSecurity(withAuthenticator, renewAct, [answers(renewRecoveryCodes, madeCodes)]),
        shows: ['security.recovery_shown'],
      },
    },
  },
  {
    of: 'Remembered devices',
    page: 'account-security',
    states: {
      'asked first': {
        ...withSecurity(withAuthenticator, [press('security.remembered_forget')]),
        shows: ['security.remembered_text'],
      },
      ...refused('forgetting', forgetRememberedDevices, withSecurity(withAuthenticator, forget)),
      forgotten: {
        ...withSecurity(withAuthenticator, forget, [answers(forgetRememberedDevices, undefined)]),
        shows: ['security.remembered'],
      },
    },
  },
  {
    of: 'Removal of the second step',
    page: 'account',
    states: {
      planned: {
        ...withSecurity({ ...withAuthenticator, removal_at }),
        shows: ['security.removal', 'security.removal_stop'],
      },
      ...refused(
        'stopping',
        keepSecondStep,
        withSecurity({ ...withAuthenticator, removal_at }, [press('security.removal_stop')]),
      ),
      required: { ...withSecurity({ second_step_missing: true }), shows: ['security.missing'] },
    },
  },
];
