import { overdueAfter } from '../../browser/requests/request-status.ts';
import { readAccount } from '../../contract/account.ts';
import { minutes, seconds } from '../../contract/units.ts';
import { type Act, pick, press, submit, type, wait } from '../../gallery/acts.ts';
import { account, accountOf, anna, over, refusedTwice, signedIn } from '../../gallery/examples/account.ts';
import {
  createdKey,
  devicesReply,
  enrolment,
  enrolmentKey,
  enrolmentWithoutNode,
  newComputer,
} from '../../gallery/examples/devices.ts';
import { answers, type Reply, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { enrol, leave } from '../computers/device.contract.ts';
import { keepPhone } from '../computers/phone/own-phone.part.ts';
import { listComputers, requestEnrolment } from '../contract/computers.ts';
import { createEnrolmentKey, listEnrolmentKeys, revokeEnrolmentKey } from '../contract/enrolment-keys.ts';

const offer = answers(requestEnrolment, enrolment);
/** Lists no computers at first, then these. */
function arriving(...names: string[]) {
  let asked = 0;
  return {
    endpoint: listComputers,
    respond: () => {
      asked += 1;
      return devicesReply(asked === 1 ? [] : names.map(newComputer)).respond();
    },
  };
}
const noComputers = devicesReply([]);
const called = (name: string): State => ({
  ...signedIn,
  replies: [accountOf({ name, created_at: new Date().toISOString() }), noComputers, offer],
  shows: ['computers_add.valid'],
});
const asked = called('Anna Berg');
const onSystem = (userAgent: string): State => ({
  ...asked,
  before: () => {
    signedIn.before();
    Object.defineProperty(navigator, 'userAgent', { configurable: true, value: userAgent });
  },
});
const onSmartphone = onSystem('Linux; Android 16; Mobile');
const added: State = {
  ...onSmartphone,
  before: () => {
    onSmartphone.before?.();
    keepPhone({ account: anna.id, token: 'x' });
  },
};
const app = { settings: { smartphoneApp: 'https://example.com/app' } };
const arrived = (...names: string[]): State => ({
  ...signedIn,
  replies: [account, arriving(...names), offer],
  acts: [wait(seconds(6))],
  shows: ['computers_add.arrived', 'computers_add.another'],
});
/** The session is too old for a code without the password; later requests fail with `code`, if given. */
function asksThen(code?: 'incorrect_password' | 'too_many_attempts') {
  let asked = 0;
  const again = refuses(requestEnrolment, 'validation_failed', {
    fields: [{ field: 'password', code: 'password_required' }],
  });
  return {
    endpoint: requestEnrolment,
    respond: () => {
      asked += 1;
      const later = code ? refuses(requestEnrolment, code, { minutes: 12 }) : again;
      return (asked === 1 ? again : later).respond();
    },
  };
}
const asksAgain = {
  ...signedIn,
  replies: [account, noComputers, asksThen()],
} satisfies Partial<State>;
const answered = [type({ password: 'not it at all' }), submit];
const letCopy = () =>
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async () => undefined } });

const open = press('keys.show');
const sendKey = press('keys.create');
const filledKey = [sendKey, type({ key_name: 'Berlin office', key_uses: '60', key_networks: '203.0.113.0/24' })];
/** The page with these keys, after actions on them. */
const withKeys = (
  keys: readonly ReturnType<typeof enrolmentKey>[],
  acts: readonly Act[] = [],
  more: readonly Reply[] = [],
) => ({
  ...signedIn,
  replies: [...more, account, noComputers, offer, answers(listEnrolmentKeys, { keys: [...keys] })],
  acts: [open, ...acts],
});
const prefixed = (what: string, refusals: Record<string, State>) =>
  Object.fromEntries(Object.entries(refusals).map(([name, state]) => [`${what} ${name}`, state]));

export const states: readonly States[] = [
  {
    of: 'Add computers',
    page: 'computers-add',
    states: {
      'with a code': {
        ...asked,
        shows: [
          'computers_add.which',
          'computers_add.needs_node',
          'computers_add.terminal_linux',
          'computers_add.step_command',
          'computers_add.step_wait',
          'computers_add.reports',
          'computers_add.reports_name',
          'computers_add.reports_signal',
          'computers_add.reports_readings',
          'computers_add.reports_changes',
          'computers_add.never',
          'computers_add.never_files',
          'computers_add.never_typing',
          'computers_add.never_programs',
          'computers_add.undo',
          'computers_add.undo_how',
          'computers_add.code',
          'computers_add.valid',
          'computers_add.copy',
          'computers_add.new_code',
        ],
      },
      'without Node': {
        ...signedIn,
        replies: [account, noComputers, answers(requestEnrolment, enrolmentWithoutNode)],
        shows: ['computers_add.downloads'],
      },
      'for Windows': { ...asked, acts: [pick('windows')], shows: ['computers_add.terminal_windows'] },
      'for a Mac': { ...asked, acts: [pick('macos')], shows: ['computers_add.terminal_macos'] },
      'for a smartphone': {
        ...asked,
        acts: [pick('smartphone')],
        shows: ['computers_add.smartphone', 'computers_add.phone_scan'],
      },
      'for a smartphone with an app': {
        ...{ ...asked, ...app },
        acts: [pick('smartphone')],
        shows: ['computers_add.step_smartphone'],
      },
      'on a smartphone': {
        ...onSmartphone,
        shows: ['computers_add.phone', 'computers_add.phone_add', 'computers_add.phone_install'],
      },
      'on a smartphone of Apple': {
        ...onSystem('iPhone'),
        shows: ['computers_add.phone', 'computers_add.phone_apple'],
      },
      'on a smartphone that was added': { ...added, shows: ['computers_add.phone_added', 'computers_add.phone_stop'] },
      'on a smartphone, removed elsewhere': {
        ...added,
        replies: [...(asked.replies ?? []), refuses(leave, 'not_signed_in')],
        acts: [press('computers_add.phone_stop')],
        shows: ['computers_add.phone_add'],
      },
      'on a smartphone, with a refusal': {
        ...onSmartphone,
        replies: [...(asked.replies ?? []), refuses(enrol, 'computer_limit_reached', { limit: 200 })],
        acts: [press('computers_add.phone_add')],
        shows: ['failure.computer_limit_reached'],
      },
      'on a smartphone with an app': { ...{ ...onSmartphone, ...app }, shows: ['computers_add.smartphone_here'] },
      'on a smartphone, for a computer': {
        ...onSmartphone,
        acts: [pick('windows')],
        shows: ['computers_add.elsewhere'],
      },
      'command copied': {
        ...asked,
        before: () => {
          signedIn.before();
          letCopy();
        },
        acts: [press('computers_add.copy')],
        shows: ['computers_add.copied'],
      },
      'code expired': {
        ...asked,
        acts: [wait(minutes(16))],
        shows: ['computers_add.expired', 'computers_add.new_code'],
      },
      'computer arrived': arrived('Front desk'),
      'several arrived': arrived('Front desk', 'مكتب الاستقبال', 'Anna-Katharina-Wilhelmine-'.repeat(5)),
      'code being asked for': { ...signedIn, replies: [account, noComputers], shows: ['frame.loading'] },
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(requestEnrolment, {
            from: { ...signedIn, replies: [account, noComputers, ...over] },
            words: { not_signed_in: 'failure.session_ended', step_up_required: 'computers_add.confirm' },
            details: { too_many_requests: { minutes: 12 }, computer_limit_reached: { limit: 200 } },
          }),
        ).map(([name, state]) => [`code ${name}`, state]),
      ),
      'password asked for': { ...asksAgain, shows: ['computers_add.prove', 'computers_add.prove_submit'] },
      'password missing': { ...asksAgain, acts: [submit], shows: ['form.problem', 'invalid.password_required'] },
      ...Object.fromEntries(
        (['incorrect_password', 'too_many_attempts'] as const).map((code) => [
          `password refused: ${code.replaceAll('_', ' ')}`,
          {
            ...asksAgain,
            acts: answered,
            replies: [account, noComputers, asksThen(code)],
            shows: [`failure.${code}`],
          },
        ]),
      ),
      'long name': called('Anna-Katharina Wilhelmine '.repeat(6)),
      'Arabic name': called('ليلى بنت عبد الله'),
      'its owner’s mail comes back': {
        ...called('Anna Berg'),
        replies: [accountOf({ email_unreachable: true }), noComputers, offer],
        shows: ['account.unreachable'],
      },
      'being read': { ...signedIn, shows: ['frame.loading'] },
      'still being read': { ...signedIn, acts: [wait(overdueAfter)], shows: ['frame.overdue'] },
      ...refusalsOf(readAccount, {
        from: { ...signedIn, replies: over },
        words: { not_signed_in: 'failure.session_ended' },
      }),
      'refused after a refresh': refusedTwice(readAccount),
    },
  },
  {
    of: 'Many computers',
    page: 'computers-add',
    states: {
      'no keys': { ...withKeys([]), shows: ['keys.title', 'keys.lead', 'keys.create'] },
      closed: { ...asked, shows: ['keys.show'] },
      keys: {
        ...withKeys([
          enrolmentKey(),
          enrolmentKey({ id: 'r', name: 'مكتب برلين', state: 'revoked', tags: [], networks: [], last_used_at: null }),
          enrolmentKey({ id: 'e', name: 'Long name '.repeat(14), state: 'expired' }),
          enrolmentKey({ id: 'u', name: 'Hamburg', state: 'used_up', uses: 60 }),
        ]),
        shows: [
          'keys.used',
          'keys.until',
          'keys.revoked',
          'keys.expired',
          'keys.used_up',
          'keys.revoke',
          'account.session_used',
          'security.passkey_unused',
        ],
      },
      ...prefixed(
        'reading',
        refusalsOf(listEnrolmentKeys, {
          from: { ...signedIn, replies: [account, noComputers, offer, ...over], acts: [open] },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
      form: {
        ...withKeys([], [sendKey]),
        shows: ['keys.name', 'keys.max_uses', 'keys.days', 'keys.networks', 'keys.networks_hint', 'device.tags'],
      },
      'wrong values': {
        ...withKeys([], [sendKey, type({ key_uses: '0', key_networks: 'office' }), sendKey]),
        shows: ['invalid.required', 'invalid.number_invalid', 'invalid.networks_invalid'],
      },
      'wrong tags': {
        ...withKeys([], [...filledKey, type({ key_tags: 'x'.repeat(31) }), sendKey]),
        shows: ['invalid.tags_invalid'],
      },
      'long name of a key': {
        ...withKeys([], [...filledKey, type({ key_name: 'x'.repeat(200) }), sendKey]),
        shows: ['invalid.too_long'],
      },
      'password asked for a key': {
        ...withKeys(
          [],
          [...filledKey, sendKey],
          [
            refuses(createEnrolmentKey, 'validation_failed', {
              fields: [{ field: 'password', code: 'password_required' }],
            }),
          ],
        ),
        shows: ['computers_add.prove', 'label.password', 'invalid.password_required'],
      },
      created: {
        ...withKeys([createdKey.key], [...filledKey, sendKey], [answers(createEnrolmentKey, createdKey)]),
        shows: ['keys.created', 'computers_add.copy'],
      },
      ...prefixed(
        'creating',
        refusalsOf(createEnrolmentKey, {
          from: withKeys([], [...filledKey, sendKey], over),
          words: { not_signed_in: 'failure.session_ended' },
          details: {
            too_many_requests: { minutes: 12 },
            too_many_attempts: { minutes: 12 },
            key_limit_reached: { limit: 50 },
          },
        }),
      ),
      revoking: {
        ...withKeys([enrolmentKey()], [press('keys.revoke')]),
        shows: ['keys.revoke_text', 'account.cancel'],
      },
      ...prefixed(
        'revoking',
        refusalsOf(revokeEnrolmentKey, {
          from: withKeys([enrolmentKey()], [press('keys.revoke'), press('keys.revoke')], over),
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
    },
  },
];
