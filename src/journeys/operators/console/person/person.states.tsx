import { press, submitDialog, type, unfold } from '../../../../gallery/acts.ts';
import { over } from '../../../../gallery/examples/account.ts';
import { allEntries, allGoingOn } from '../../../../gallery/examples/operator-codes.ts';
import {
  busyPerson,
  inConsole,
  longPerson,
  operatorAs,
  personRead,
  quietPerson,
} from '../../../../gallery/examples/operators.ts';
import { answers, type Reply, refuses } from '../../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../../gallery/state.tsx';
import type { MessageId } from '../../../../messages/ids.ts';
import {
  addToGroup,
  changeAddress,
  changePerson,
  deletePerson,
  exportPerson,
  lockPerson,
  readPerson,
  removeSecondStep,
  resendEmails,
  revealPerson,
  unlockPerson,
} from '../../people.contract.ts';
import { acts } from './acts.part.ts';

const at = '2026-01-01T12:00:00Z';
const params = { id: 'b' };
const read = { ...inConsole, replies: [...inConsole.replies, ...personRead()], params } satisfies Partial<State>;
const locked = { ...read, replies: [...inConsole.replies, ...personRead(quietPerson)] };

const more = unfold('console_person.more');

/** The dialog of an act, and its result if a reply is given. */
const acting = (from: Partial<State>, label: MessageId, ...replies: readonly Reply[]) => ({
  ...from,
  replies: [...replies, ...(from.replies ?? [])],
  acts: [more, press(label)],
});

const submitted = (from: Partial<State>, label: MessageId, ...replies: readonly Reply[]) => {
  const state = acting(from, label, ...replies);
  // The dialog has a button with the same label, which submits.
  return { ...state, acts: [...state.acts, type({ reason: 'Ticket 8841' }), submitDialog] };
};

const undone = (label: MessageId, ...replies: readonly Reply[]) => {
  const state = submitted(read, label, ...replies);
  return { ...state, acts: [...state.acts, press('passkey_offer.undo')] };
};

const refusing = refusalsOf(lockPerson, {
  from: submitted(read, 'console_act.lock', ...over),
  words: {
    role_insufficient: 'console.not_allowed',
    last_owner: 'console.last_owner',
    not_signed_in: 'failure.session_ended',
  },
  details: { step_up_required: { ways: ['authenticator'] } },
});

export const states: readonly States[] = [
  {
    of: 'Console person',
    page: 'console-person',
    states: {
      reading: { ...inConsole, params, shows: ['console_person.page', 'console_people.page'] },
      read: {
        ...read,
        acts: [more],
        shows: [
          'console_person.going_on',
          'console_person.more',
          'console_seen.page',
          'console_person.help',
          'console_person.groups',
          'console_person.notes',
          'console_act.note',
          'console_timeline.sign_ins',
          'console_timeline.refusals',
          'console_timeline.calls',
          'console_timeline.changes',
          'account.emails',
          'account.older',
          'connected_apps.title',
          'devices.page',
          'account.activity',
          'account_security.page',
          'security.recovery_left',
          'console_act.lock',
          'console_act.unlock',
          'console_act.end',
          'console_act.reset',
          'console_act.allow',
          'console_act.export',
          'console_act.add_group',
          'console_act.remove_group',
          'console_act.retry',
          'second_step.lost_title',
          'account.delete',
        ],
      },
      'everything that may happen': {
        ...read,
        replies: [...inConsole.replies, ...personRead({ ...busyPerson, going_on: allGoingOn }, allEntries)],
        shows: [],
      },
      'long names': { ...read, replies: [...inConsole.replies, ...personRead(longPerson)], shows: [] },
      'locked and leaving': {
        ...locked,
        shows: [
          'console_timeline.none',
          'console_people.locked',
          'account.deletion_date',
          'security.off',
          'console_person.no_password',
          'account.unconfirmed',
        ],
      },
      'to a viewer': {
        ...read,
        replies: [...operatorAs('viewer'), ...personRead()],
        shows: ['console_person.reveal'],
      },
      revealed: {
        ...read,
        replies: [
          answers(revealPerson, { email: 'anna@example.com', phone: '+49151' }),
          ...operatorAs('viewer'),
          ...personRead(),
        ],
        acts: [press('console_person.reveal')],
        shows: ['console_person.going_on'],
      },
      gone: {
        ...inConsole,
        params,
        replies: [...inConsole.replies, refuses(readPerson, 'not_found')],
        shows: ['console_person.gone'],
      },
      ...Object.fromEntries(
        Object.entries(acts).map(([name, { label, does }]): [string, State] => [
          `act: ${name.replaceAll('_', ' ')}`,
          { ...acting(read, label), shows: [does, 'console_act.reason', 'form.cancel'] },
        ]),
      ),
      'done: retry emails': {
        ...submitted(
          read,
          'console_act.retry',
          answers(resendEmails, { retried: ['1', '2'], invitation: false, confirmation: true }),
        ),
        shows: ['console_act.resent'],
      },
      'no email to retry': {
        ...submitted(
          read,
          'console_act.retry',
          answers(resendEmails, { retried: [], invitation: false, confirmation: false }),
        ),
        shows: ['console_act.none_sent'],
      },
      'asks for a group': { ...acting(read, 'console_act.add_group'), shows: ['console_act.group'] },
      'may be immediate': { ...acting(read, 'second_step.lost_title'), shows: ['console_act.immediately'] },
      'done: lock': {
        ...submitted(read, 'console_act.lock', answers(lockPerson, { ended: 2 })),
        shows: ['console_act.done', 'console_act.close', 'passkey_offer.undo'],
      },
      'done: edit': {
        ...submitted(read, 'console_act.edit', answers(changePerson, undefined)),
        acts: [more, press('console_act.edit'), type({ name: 'Anna Berg-Klein' }), submitDialog],
        shows: ['passkey_offer.undo'],
      },
      'reset of a locked account': {
        ...acting(locked, 'console_act.reset'),
        shows: ['console_act.reset_locked'],
      },
      'undone: lock': {
        ...undone('console_act.lock', answers(lockPerson, { ended: 2 }), answers(unlockPerson, undefined)),
        shows: ['console_action.account_unlocked', 'console_act.done', 'console_act.close'],
      },
      'not undone': {
        ...undone('console_act.lock', answers(lockPerson, { ended: 2 }), refuses(unlockPerson, 'role_insufficient')),
        shows: ['console.not_allowed', 'console_act.done', 'passkey_offer.undo'],
      },
      'done: change email': {
        ...acting(read, 'account.change_email', answers(changeAddress, undefined)),
        acts: [more, press('account.change_email'), type({ email: 'anna@example.org' }), submitDialog],
        shows: ['console_act.link_sent'],
      },
      'the new address is taken': {
        ...acting(read, 'account.change_email', refuses(changeAddress, 'account_exists')),
        acts: [more, press('account.change_email'), type({ email: 'anna@example.org' }), submitDialog],
        shows: ['failure.account_exists'],
      },
      'done: delete': {
        ...submitted(read, 'account.delete', answers(deletePerson, { delete_at: at })),
        shows: ['account.deletion_date'],
      },
      'done: second step': {
        ...submitted(read, 'second_step.lost_title', answers(removeSecondStep, { removal_at: at })),
        shows: ['second_step.removal_at'],
      },
      'done: export': {
        ...submitted(read, 'console_act.export', answers(exportPerson, { data: {} })),
        shows: ['console_act.done'],
      },
      'the group is misspelled': {
        ...acting(
          read,
          'console_act.add_group',
          refuses(addToGroup, 'validation_failed', { fields: [{ field: 'group', code: 'not_understood' }] }),
        ),
        acts: [press('console_act.add_group'), type({ text: 'a b' }), submitDialog],
        shows: ['invalid.not_understood'],
      },
      'no group': { ...submitted(read, 'console_act.add_group'), shows: ['invalid.required'] },
      'the last owner': {
        ...submitted(read, 'account.delete', refuses(deletePerson, 'last_owner')),
        shows: ['console.last_owner'],
      },
      ...refusing,
    },
  },
];
