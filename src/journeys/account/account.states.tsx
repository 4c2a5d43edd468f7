import { overdueAfter } from '../../browser/requests/overdue.ts';
import { readAccount } from '../../contract/account.ts';
import { unknownDevice } from '../../contract/devices.ts';
import { logout } from '../../contract/session.ts';
import { type Act, openSideMenu, press, submit, type, wait } from '../../gallery/acts.ts';
import { anna, over, signedIn } from '../../gallery/anna.ts';
import { answers, type Reply, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.ts';
import { changeAccount } from './account.contract.ts';
import { listDevices, listSessions, readActivity } from './sessions/sessions.contract.ts';

const at = '2026-01-01T12:00:00Z';
const here = { id: 's', current: true, device: 'Firefox, Windows', ip: '192.0.2.7', user_agent: '' };
const times = { created_at: at, last_seen_at: at, expires_at: at };
export const sessions = [
  { ...here, ...times },
  {
    ...here,
    ...times,
    id: 't',
    current: false,
    device: 'Chrome, Android',
    place: 'San Pedro de Atacama, Chile',
    ip: '2001:db8:85a3:1234:5678:8a2e:370:7334',
  },
  { ...here, ...times, id: 'u', current: false, device: unknownDevice },
];
const devices = sessions.map(({ user_agent: _, expires_at: __, ...device }) => device);
export const kinds = [
  ...['registered', 'signed_in', 'signed_out', 'recovery_requested', 'password_reset', 'password_changed'],
  ...['refresh_reused', 'refresh_repeated', 'account_changed', 'offers_changed', 'session_ended', 'device_forgotten'],
  ...[
    'phone_changed',
    'email_changed',
    'email_change_undone',
    'exported',
    'deletion_requested',
    'deletion_taken_back',
    'of_a_newer_server',
  ],
];
export const records = kinds.map((kind) => ({
  id: kind,
  at,
  kind,
  ip: '192.0.2.7',
  user_agent: '',
  device: 'Firefox, Windows',
  place: 'Berlin, Germany',
}));

export const account = answers(readAccount, anna);
export const lists: readonly Reply[] = [
  answers(listSessions, { sessions }),
  answers(listDevices, { devices }),
  answers(readActivity, { records: records.slice(0, 2), next: 'signed_in' }),
];
export const read = { ...signedIn, replies: [account, ...lists] } satisfies Partial<State>;
export const doing = (...acts: readonly Act[]) => ({ ...read, acts }) satisfies Partial<State>;
export const answered = (reply: Reply, ...acts: readonly Act[]) => ({
  ...doing(...acts),
  replies: [reply, ...read.replies],
});
/** A part of the page shows the refusal; its repeated read also fails without a session. */
export const ended = { not_signed_in: 'failure.session_ended' } as const;
export const failing = (endpoint: Parameters<typeof refusalsOf>[0], ...acts: readonly Act[]) =>
  refusalsOf(endpoint, {
    from: { ...doing(...acts), replies: [...over, ...read.replies] },
    details: {
      validation_failed: { fields: [] },
      too_many_attempts: { minutes: 4 },
      too_many_requests: { minutes: 4 },
    },
    words: ended,
  });
const refusedFor = (field: string, code: 'not_understood') =>
  answered(refuses(changeAccount, 'validation_failed', { fields: [{ field, code }] }), submit);

const offers = { kind: 'offers', given: false, version: 1, locale: 'en', at } as const;

export const states: readonly States[] = [
  {
    of: 'Account',
    page: 'account',
    states: {
      read: {
        ...read,
        shows: [
          'account.page',
          'account.confirmed',
          'account.consent_given',
          'account.session_this',
          'account.device_unknown',
        ],
      },
      unconfirmed: {
        ...signedIn,
        replies: [
          answers(readAccount, {
            ...anna,
            name: 'Anna-Katharina'.repeat(9),
            email: `${'anna-katharina.'.repeat(9)}berg@example.com`,
            email_confirmed: false,
            phone_confirmed: false,
          }),
          ...lists,
        ],
        shows: ['account.unconfirmed'],
      },
      'its mail comes back': {
        ...signedIn,
        replies: [answers(readAccount, { ...anna, email_unreachable: true }), ...lists],
        shows: ['account.unreachable'],
      },
      'being read': { ...signedIn, shows: ['frame.loading'] },
      'still being read': { ...signedIn, acts: [wait(overdueAfter)], shows: ['frame.overdue'] },
      ...refusalsOf(readAccount, { from: { ...signedIn, replies: over }, words: ended }),
      'not signed in': { shows: ['failure.not_signed_in'] },
      'could not sign out': {
        ...refusalsOf(logout, { from: doing(openSideMenu, press('account_frame.sign_out')) })['no answer'],
        shows: ['failure.no_answer'],
      },
    },
  },
  {
    of: 'Details',
    page: 'account',
    states: {
      'no name': { ...doing(type({ name: '' }), submit), shows: ['invalid.required', 'form.problem_at'] },
      'too long': { ...doing(type({ name: 'x'.repeat(180) }), submit), shows: ['invalid.too_long'] },
      'no number': { ...doing(type({ inn: 'abc' }), submit), shows: ['invalid.digits_only'] },
      'no INN': { ...doing(type({ inn: '1234567890' }), submit), shows: ['invalid.inn_invalid'] },
      'not understood': { ...refusedFor('name', 'not_understood'), shows: ['invalid.not_understood'] },
      waiting: { ...doing(submit), shows: ['form.wait'] },
      ...failing(changeAccount, submit),
      'what is told': { ...read, shows: ['account.notifications', 'account.mail_new_device'] },
      saved: { ...answered(answers(changeAccount, anna), submit), shows: ['account.saved'] },
    },
  },
  {
    of: 'Consents',
    page: 'account',
    states: {
      'offers refused': { ...read, shows: ['account.consent_absent', 'account.agree'] },
      'offers agreed to': {
        ...signedIn,
        replies: [answers(readAccount, { ...anna, consents: [{ ...offers, given: true }] }), ...lists],
        shows: ['account.withdraw', 'register.consent_offers'],
      },
      'no answer': {
        ...refusalsOf(changeAccount, { from: doing(press('account.agree')) })['no answer'],
        shows: ['failure.no_answer'],
      },
    },
  },
];
