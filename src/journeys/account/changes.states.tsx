import { logout } from '../../contract/session.ts';
import { type Act, press, type } from '../../gallery/acts.ts';
import { anna, over, signedIn } from '../../gallery/anna.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.ts';
import { changePassword, changePhone, deleteAccount, exportAccount } from './account.contract.ts';
import { account, answered, doing, ended, failing, kinds, read, records, sessions } from './account.states.tsx';
import { requestEmailChange } from './contacts/change-email.contract.ts';
import {
  endOtherSessions,
  endSession,
  forgetDevice,
  listSessions,
  readActivity,
} from './sessions/sessions.contract.ts';

const word = 'correct horse';
const typed = (password: string, password_repeat = password, current_password = 'old horse') => [
  press('account.change_password'),
  type({ current_password, password, password_repeat }),
  press('account.change_password'),
];
const newAddress = (email: string) => [
  press('account.change_email'),
  type({ email, email_password: word }),
  press('account.change_email'),
];
const newNumber = (...acts: readonly Act[]) => doing(press('account.change_phone'), ...acts);
const optionalNumber = [press('account.change_phone'), type({ phone: '+12025550147' }), press('account.change_phone')];
/** The same with optional phone confirmation. */
const withoutCall = (all: Readonly<Record<string, State>>) =>
  Object.fromEntries(
    Object.entries(all).map(([name, state]) => [
      name,
      { ...state, settings: { phoneConfirmation: 'optional' as const } },
    ]),
  );
const leaving = [press('account.delete'), type({ delete_password: word }), press('account.delete')];

export const states: readonly States[] = [
  {
    of: 'Another email',
    page: 'account',
    states: {
      'nothing typed': {
        ...doing(press('account.change_email'), press('account.change_email')),
        shows: ['invalid.email_required', 'invalid.password_required'],
      },
      'no address': { ...doing(...newAddress('anna')), shows: ['invalid.email_invalid'] },
      ...failing(requestEmailChange, ...newAddress('anna@new.example')),
      asked: {
        ...answered(answers(requestEmailChange, {}), ...newAddress('anna@new.example')),
        shows: ['account.email_sent'],
      },
    },
  },
  {
    of: 'Change phone',
    page: 'account',
    states: {
      'asked for the number': { ...newNumber(), shows: ['label.phone', 'phone.what_happens', 'phone.call_me'] },
      'no number': { ...newNumber(press('account.change_phone')), shows: ['invalid.required'] },
      'wrong number': {
        ...newNumber(type({ phone: '12' }), press('account.change_phone')),
        shows: ['invalid.phone_invalid'],
      },
      'not confirmed': {
        ...newNumber(type({ phone: '+12025550147' }), press('account.change_phone')),
        shows: ['invalid.phone_not_confirmed'],
      },
      ...withoutCall(failing(changePhone, ...optionalNumber)),
      changed: {
        ...answered(answers(changePhone, anna), ...optionalNumber),
        settings: { phoneConfirmation: 'optional' },
        shows: ['account.phone_changed'],
      },
    },
  },
  {
    of: 'Change password',
    page: 'account',
    states: {
      'nothing typed': {
        ...doing(press('account.change_password'), press('account.change_password')),
        shows: ['invalid.password_required', 'invalid.required'],
      },
      'too short': { ...doing(...typed('abc')), shows: ['invalid.password_too_short'] },
      'too long': { ...doing(...typed('abcdefgh'.repeat(200))), shows: ['invalid.password_too_long'] },
      'not the same': { ...doing(...typed(word, 'other horse')), shows: ['invalid.passwords_differ'] },
      common: {
        ...answered(
          refuses(changePassword, 'validation_failed', { fields: [{ field: 'password', code: 'password_common' }] }),
          ...typed(word),
        ),
        shows: ['invalid.password_common'],
      },
      ...failing(changePassword, ...typed(word)),
      changed: {
        ...answered(answers(changePassword, undefined), ...typed(word)),
        shows: ['account.password_changed'],
      },
    },
  },
  {
    of: 'Sessions and activity',
    page: 'account',
    states: {
      'every kind': {
        ...signedIn,
        replies: [account, answers(readActivity, { records, next: null }), answers(listSessions, { sessions })],
        shows: Object.values(kinds)
          .slice(0, -1)
          .map((kind) => `account.did_${kind}` as 'account.did_registered'),
      },
      ...refusalsOf(listSessions, { from: { ...signedIn, replies: [...over, account] }, words: ended }),
      'ended elsewhere': {
        ...answered(answers(endSession, undefined), press('account.end_session')),
        shows: ['account.sessions'],
      },
      ...failing(endOtherSessions, press('account.end_others')),
      'a device removed': {
        ...answered(answers(forgetDevice, undefined), press('account.forget_device')),
        shows: ['account.devices', 'account.devices_text', 'account.first_used'],
      },
      ...Object.fromEntries(
        Object.entries(failing(forgetDevice, press('account.forget_device'))).map(([name, state]) => [
          `removing, ${name}`,
          state,
        ]),
      ),
      'older ones': { ...doing(press('account.older')), shows: ['account.older'] },
    },
  },
  {
    of: 'Leaving',
    page: 'account',
    states: {
      'a copy': {
        ...refusalsOf(exportAccount, { from: doing(press('account.download')) })['no answer'],
        shows: ['failure.no_answer'],
      },
      'asked for the password': { ...doing(press('account.delete')), shows: ['account.current_password'] },
      'without the password': {
        ...doing(press('account.delete'), press('account.delete')),
        shows: ['invalid.password_required'],
      },
      ...failing(deleteAccount, ...leaving),
      deleted: {
        ...doing(...leaving),
        replies: [answers(deleteAccount, undefined), answers(logout, undefined), ...read.replies],
        shows: ['account.deleted', 'account.deleted_text', 'register.sign_in'],
      },
    },
  },
];
