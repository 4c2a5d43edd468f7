import { confirmationWays } from '../../contract/call-ways.ts';
import { type ConcernCode, type ConcernParams, concerns } from '../../contract/concerns.ts';
import {
  type GoingOnCode,
  type GoingOnParams,
  guessPlaces,
  signInSecrets,
  timelineStates,
} from '../../contract/console.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { endReasons } from '../../contract/failures.ts';
import { actionWords, alarmWords, noticeSubjects } from '../../journeys/operators/console/words/codes.part.ts';
import type { readPerson, readTimeline } from '../../journeys/operators/people.contract.ts';
import type { readToday } from '../../journeys/operators/service.contract.ts';

const at = '2026-01-01T12:00:00Z';
const until = { until: at };
const email = { notice: 'recovery', at };
const failed = { ...email, words: '550 mailbox full' };
const ended = { at, device: 'Safari, iOS', ip: '192.0.2.7', reason: 'expired' } as const;

const goingOnParams: { readonly [Code in GoingOnCode]: GoingOnParams[Code] } = {
  can_sign_in: { methods: signInSecrets },
  cannot_sign_in: {},
  no_method_left: {},
  known_device_works: {},
  second_step_needed: { count: 9 },
  locked_by_operator: { since: at, by: 'olga@example.com', words: 'stolen laptop' },
  locked_by_wrong_passwords: until,
  password_locked_on_known_device: until,
  password_locked_for_signed_in: until,
  second_step_locked_on_new_browsers: until,
  second_step_locked_on_known_device: until,
  second_step_locked_for_signed_in: until,
  deletion_planned: until,
  second_step_awaited: { at },
  second_step_removal: until,
  no_recovery_codes: {},
  email_change_pending: { ...until, email: 'anna@example.net' },
  email_change_undoable: until,
  email_unproven: {},
  emails_accepted: { ...email, count: 3 },
  no_emails: {},
  email_suppressed: { since: at, told_by: 'dsn', reason: 'no_such_address', words: '550 no such user' },
  email_returned: failed,
  email_waiting: { ...email, ...until },
  email_held_back: email,
  email_given_up: failed,
  reset_emails_limited: { ...until, words: '192.0.2.7' },
  code_emails_limited: until,
  address_changes_limited: until,
  confirmation_emails_limited: until,
  signed_in: { count: 2 },
  not_signed_in: {},
  session_copied: { ...ended, reason: 'reused' },
  last_session_ended: ended,
};

type GoingOn = ResponseBody<typeof readPerson>['going_on'];

/** Everything that may be going on with an account, and a code that this page does not know. */
export const allGoingOn: GoingOn = [
  ...Object.entries(goingOnParams).map(([code, params]) => ({ code, params: copyOf(params), text: code })),
  ...endReasons.map((reason) => ({ code: 'last_session_ended', params: { ...ended, reason }, text: reason })),
  { code: 'of_tomorrow', params: {}, text: 'Something that a newer server says.' },
];

function copyOf(params: object): GoingOn[number]['params'] {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
  );
}

type Entry = ResponseBody<typeof readTimeline>['items'][number];

/** Everything that may happen to an account, apart from what its owner also reads. */
export const allEntries: Entry[] = [
  ...confirmationWays.map((way) => ({
    kind: 'calls' as const,
    code: way,
    params: { state: 'confirmed', words: 'ucaller' },
  })),
  ...timelineStates.map((state) => ({
    kind: 'emails' as const,
    code: 'recovery',
    params: { state, ...(state === 'waits' && until) },
  })),
  ...Object.keys(noticeSubjects).map((code) => ({ kind: 'emails' as const, code, params: { state: 'sent' } })),
  ...guessPlaces.map((on) => ({ kind: 'refusals' as const, code: 'wrong_password', params: { count: 5, on } })),
  { kind: 'refusals' as const, code: 'wrong_second_step', params: { count: 2, on: 'known_device' } },
  ...Object.keys(alarmWords).map((code) => ({
    kind: 'alarms' as const,
    code,
    params: { words: 'Front desk', until: at },
  })),
  ...Object.keys(actionWords).map((code) => ({ kind: 'operators' as const, code, params: {} })),
  { kind: 'changes' as const, code: 'of_tomorrow', params: {}, outcome: 'as a newer server says' },
].map((entry, place) => ({
  ...{ id: String(place), at, outcome: null, ip: null, device: null, actor: null, actor_name: null, reason: null },
  ...entry,
}));

const record = { record: 'SPF', name: 'example.com', words: 'v=spf1 include:… -all' };
const folder = { folder: '/var/lib/vestibule/backups' };
const refused = { words: 'connect ECONNREFUSED 192.0.2.7:25' };

const concernParams: Readonly<Record<ConcernCode, ConcernParams>> = {
  examination: { words: 'no such table' },
  disk: { free: '31 MB', folder: '/data' },
  database: { words: 'database disk image is malformed' },
  database_unencrypted: { host: 'db.example.com' },
  keys: {},
  keys_unsealed: {},
  keys_reseal: {},
  former_key_unused: {},
  clock: {},
  partitions: { words: 'activity_2026_02' },
  visitors: { ip: '10.0.0.1' },
  calls_dropped: { countries: ['DE', 'TR'] },
  outbox_late: { count: 3, since: at, ...refused },
  outbox_given_up: { count: 2, words: '550 5.1.1 <…>: no such mailbox' },
  complaints: { count: 2 },
  webhooks_disabled: { count: 1 },
  webhooks_given_up: { count: 4, words: 'HTTP 500' },
  cookies: { host: 'accounts.example.com' },
  certificate: { until: at },
  mail_server: refused,
  mail_unset: {},
  mail_replies: { address: 'help@example.com' },
  dns_missing: record,
  dns_wrong: record,
  dns_unanswered: { record: 'DMARC' },
  dns_bounces: { address: 'bounces@example.com' },
  call_countries: {},
  sender_unregistered: { country: 'TR' },
  numbers_hidden: { country: 'DE' },
  ways_blocked: { country: 'RU', ways: 'reverse, sms' },
  provider: { provider: 'ucaller', words: 'credentials: error 1003' },
  provider_funds: { provider: 'ucaller', balance: '3 EUR' },
  redirect_rules: { words: 'REDIRECT_RULES: rules.json: Unexpected token' },
  backups_unset: {},
  backups_unusable: { ...folder, words: 'EACCES: permission denied' },
  backups_late: folder,
  places: { words: 'PLACES_FILE: no such file' },
  node_missing: { node: 'node-2', since: at },
  versions_differ: { versions: '1.4.0, 1.5.0' },
  receiver_doubted: { receiver: 'https://crm.example.com/hooks', name: 'Olga Klein', since: at },
  application_doubted: { application: 'Wiki', name: 'Olga Klein', since: at },
  guesses: { count: 25 },
  flood: { count: 14_200, since: at, until: at, share: 0.92, network: '203.0.113.0/24' },
  flood_spread: { count: 14_200, since: at, until: at },
  search_incomplete: {},
};

/** Everything that may not work as it should. */
export const allConcerns: ResponseBody<typeof readToday>['items'] = Object.entries(concernParams).map(
  ([code, params]) => ({ code, state: 'warning', params, text: code, see: concerns[code as ConcernCode] }),
);
