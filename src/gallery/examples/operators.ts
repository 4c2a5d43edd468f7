import { unknownBrowser } from '../../contract/activity.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { OperatorRole } from '../../contract/operators.ts';
import { readOperator } from '../../journeys/operators/operators.contract.ts';
import { findPeople, readPerson, readTimeline } from '../../journeys/operators/people.contract.ts';
import { answers } from '../replies.ts';
import { account, signedIn } from './account.ts';

const at = '2026-01-01T12:00:00Z';

/** For states of the console: an operator with a role. */
export const operatorAs = (role: OperatorRole) => [account, answers(readOperator, { kind: 'operator', id: 'a', role })];

export const inConsole = { ...signedIn, replies: operatorAs('owner') };

type Found = ResponseBody<typeof findPeople>['items'][number];

const person = (changes: Partial<Found>): Found => ({
  id: 'b',
  email: 'anna.berg@example.com',
  name: 'Anna Berg',
  phone: '+4915112344417',
  locale: 'de',
  created_at: at,
  email_proven_at: at,
  phone_confirmed_at: at,
  second_step_at: at,
  locked_at: null,
  delete_at: null,
  ...changes,
});

const peopleFound: readonly Found[] = [
  person({ locked_at: at }),
  person({ id: 'c', email: 'li.ming@example.cn', name: '李 明', phone: '+8613800004417' }),
  person({ id: 'd', email: 'layla@example.com', name: 'ليلى حداد', phone: '', delete_at: at }),
  person({ id: 'e', email: 'ola@example.pl', name: 'Ola Nowak', phone: '+48600004417' }),
];

/** Someone with a long name, as a viewer sees them. */
export const longNamed = person({
  email: `${'anna'.repeat(40)}@example.com`,
  name: 'Anna '.repeat(30),
  phone: '+4…17',
});

/** The reply with these people. */
export const foundPeople = (items: readonly Found[] = peopleFound, next: string | null = null) =>
  answers(findPeople, { items: [...items], next });

type Person = ResponseBody<typeof readPerson>;

const long = 'anna'.repeat(40);

/** Much goes on with her. */
export const busyPerson: Person = {
  going_on: [
    {
      code: 'can_sign_in',
      params: { methods: ['mail_code', 'passkey'] },
      text: 'The owner can sign in now with an emailed code or a passkey.',
    },
    {
      code: 'locked_by_wrong_passwords',
      params: { until: '2026-01-01T12:10:00Z' },
      text: 'Wrong passwords lock it on devices that the account does not know until 2026-01-01T12:10:00Z. Wait, or unlock it.',
      until: '2026-01-01T12:10:00Z',
      action: 'unlock',
    },
    {
      code: 'email_given_up',
      params: { notice: 'recovery', at: '2026-01-01T11:58:00Z', words: '550 mailbox full' },
      text: 'The email recovery of 2026-01-01T11:58:00Z was given up: 550 mailbox full',
      action: 'retry_emails',
    },
    { code: 'signed_in', params: { count: 2 }, text: 'Signed in on 2 devices.', action: 'end_sessions' },
  ],
  ...person({}),
  email_unreachable_since: at,
  email_unreachable_because: 'bounce',
  email_unreachable_words: '550 mailbox full',
  email_change_to: null,
  email_change_until: null,
  email_change_can_be_undone_until: null,
  organization: 'Berg Logistik',
  inn: null,
  promo_code: null,
  time_zone: 'Europe/Berlin',
  password_changed_at: at,
  wrong_passwords_lock_it_until: '2026-01-01T12:10:00Z',
  password: true,
  second_step_since: at,
  second_step_removal_at: null,
  authenticator: true,
  recovery_codes_left: 9,
  remembered_devices: 1,
  passkeys: [
    { id: 'p', name: 'iCloud Keychain', provider: 'iCloud Keychain', synced: true, created_at: at, last_used_at: at },
  ],
  notes: [{ at, actor_kind: 'operator', actor: 'o2', actor_name: 'Tom Fox', text: 'Prefers calls in the afternoon.' }],
  groups: ['staff'],
  applications: [{ id: 'g', name: 'Grafana', scopes: ['openid'], connected_at: at, last_used_at: at }],
  consents: [],
  computers: [
    { id: 'd', name: 'Front desk', platform: 'linux', created_at: at, last_seen_at: at, warnings: [] },
    { id: 'f', name: 'Warehouse', platform: null, created_at: at, last_seen_at: at, warnings: [] },
  ],
  sessions: [
    { id: 's', created_at: at, last_seen_at: at, ip: '192.0.2.7', device: 'Safari, iOS', amr: ['hwk'] },
    { id: 't', created_at: at, last_seen_at: at, ip: '2001:db8::7334', device: unknownBrowser, amr: ['pwd'] },
  ],
  activity: [],
};

/** Without a phone number, a second step or anything that they use. */
export const quietPerson: Person = {
  ...busyPerson,
  ...person({ phone: '', locked_at: at, delete_at: at, email_proven_at: null, phone_confirmed_at: null }),
  going_on: [
    {
      code: 'cannot_sign_in',
      params: {},
      text: 'The owner cannot sign in: an operator locked the account.',
    },
    {
      code: 'locked_by_operator',
      params: { since: at, by: 'olga', words: 'stolen laptop' },
      text: 'Locked since 2026-01-01T12:00:00Z by olga (“stolen laptop”). No method works until an operator unlocks it.',
      action: 'unlock',
    },
  ],
  email_unreachable_since: null,
  organization: null,
  wrong_passwords_lock_it_until: null,
  password: false,
  authenticator: false,
  passkeys: [],
  notes: [],
  groups: [],
  applications: [],
  computers: [],
  sessions: [],
};

type Entry = ResponseBody<typeof readTimeline>['items'][number];

const entry = (id: string, kind: Entry['kind'], code: string, more: Partial<Entry> = {}): Entry => ({
  ...{
    id,
    at,
    kind,
    code,
    outcome: null,
    params: {},
    ip: null,
    device: null,
    actor: null,
    actor_name: null,
    reason: null,
  },
  ...more,
});
const here = { ip: '192.0.2.7', device: 'Safari, iOS' };

const entries: readonly Entry[] = [
  entry('1', 'operators', 'account_unlocked', {
    actor: 'o1',
    actor_name: 'Olga Petrova',
    reason: 'called, knew her last invoice',
  }),
  entry('2', 'refusals', 'wrong_password', { params: { count: 5, on: 'new_browsers' } }),
  entry('3', 'emails', 'recovery', { params: { state: 'given_up', words: '550 mailbox full' } }),
  entry('4', 'calls', 'ring', { params: { state: 'confirmed', words: 'ucaller' } }),
  entry('5', 'sign_ins', 'signed_in', here),
  entry('6', 'changes', 'password_changed', here),
  entry('7', 'alarms', 'computer_silent', { params: { words: 'Front desk' } }),
];

/** With long names everywhere. */
export const longPerson: Person = {
  ...busyPerson,
  ...longNamed,
  notes: [{ at, actor_kind: 'operator', actor: 'o3', actor_name: long, text: `First line.\n${long}` }],
  groups: [long],
  applications: [{ id: 'g', name: long, scopes: [], connected_at: at, last_used_at: at }],
  computers: [{ id: 'f', name: long, platform: null, created_at: at, last_seen_at: at, warnings: [] }],
};

/** The replies with a person and their timeline. */
export const personRead = (read: Person = busyPerson, happened = entries) => [
  answers(readPerson, read),
  answers(readTimeline, {
    items: read === quietPerson ? [] : [...happened],
    next: read === quietPerson ? null : 'next',
  }),
];
