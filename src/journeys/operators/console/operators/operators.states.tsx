import { press, submitDialog, type } from '../../../../gallery/acts.ts';
import { over } from '../../../../gallery/examples/account.ts';
import { inConsole } from '../../../../gallery/examples/operators.ts';
import { answers, refuses } from '../../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../../gallery/state.tsx';
import {
  addKey,
  inviteOperator,
  listInvitations,
  listKeys,
  listOperators,
  removeOperator,
} from '../../operators.contract.ts';

const at = '2026-01-01T12:00:00Z';
const long = 'anna'.repeat(40);
const key = { id: 'k', name: 'Help desk', role: 'support', addresses: ['203.0.113.0/24'], created_at: at } as const;
const lists = [
  answers(listOperators, {
    items: [
      { id: 'a', email: 'olga@example.com', name: 'Olga Klein', role: 'owner', added_at: at },
      { id: 'b', email: `${long}@example.com`, name: long, role: 'viewer', added_at: at },
    ],
  }),
  answers(listInvitations, {
    items: [
      {
        ...{ id: 'i', email: 'bob@example.com', role: 'support' as const, expires_at: at },
        ...{ added_by: 'a', added_by_name: 'Olga Klein' },
      },
    ],
  }),
  answers(listKeys, {
    items: [
      { ...key, addresses: [...key.addresses], expires_at: at, revoked_at: null, last_used_at: at },
      { ...key, id: 'l', addresses: [], expires_at: at, revoked_at: at, last_used_at: null },
    ],
  }),
];
const read = { ...inConsole, replies: [...inConsole.replies, ...lists] } satisfies Partial<State>;
const words = { role_insufficient: 'console.not_allowed', not_signed_in: 'failure.session_ended' } as const;

export const states: readonly States[] = [
  {
    of: 'Console operators',
    page: 'console-operators',
    states: {
      read: {
        ...read,
        shows: [
          'console_operators.keys',
          'console_operators.invitations',
          'console_operators.invited_by',
          'console_operators.change',
          'console_operators.remove',
          'console_operators.invite',
          'keys.create',
          'keys.until',
          'keys.revoke',
          'keys.revoked',
          'account.session_used',
        ],
      },
      'without keys': {
        ...inConsole,
        replies: [
          ...inConsole.replies,
          answers(listKeys, { items: [] }),
          answers(listInvitations, { items: [] }),
          ...lists,
        ],
        shows: ['console_timeline.none'],
      },
      invite: {
        ...read,
        acts: [press('console_operators.invite')],
        shows: ['console_operators.invite_does', 'console_operators.role', 'label.email'],
      },
      invited: {
        ...read,
        replies: [
          answers(inviteOperator, { invitation: 'a', invitation_link: `https://example.com/${long}`, expires_at: at }),
          ...read.replies,
        ],
        acts: [press('console_operators.invite'), type({ email: 'anna@example.com' }), submitDialog],
        shows: ['console_operators.once', 'console_act.done', 'computers_add.copy'],
      },
      'invite nobody': {
        ...read,
        acts: [press('console_operators.invite'), submitDialog],
        shows: ['invalid.required'],
      },
      'change role': { ...read, acts: [press('console_operators.change')], shows: ['console_operators.now'] },
      'the last owner': {
        ...read,
        replies: [refuses(removeOperator, 'last_owner'), ...read.replies],
        acts: [press('console_operators.remove'), submitDialog],
        shows: ['console.last_owner'],
      },
      'create a key': {
        ...read,
        acts: [press('keys.create')],
        shows: ['console_operators.key_does', 'keys.name', 'keys.days', 'keys.networks', 'keys.networks_hint'],
      },
      'wrong networks': {
        ...read,
        replies: [
          refuses(addKey, 'validation_failed', { fields: [{ field: 'addresses', code: 'not_understood' }] }),
          ...read.replies,
        ],
        acts: [press('keys.create'), type({ name: 'Help desk', addresses: 'here' }), submitDialog],
        shows: ['invalid.not_understood'],
      },
      'revoke a key': { ...read, acts: [press('keys.revoke')], shows: ['console_operators.now', 'keys.revoke'] },
      ...refusalsOf(listOperators, {
        from: { ...inConsole, replies: [...over, ...read.replies] },
        words,
        details: { step_up_required: { ways: ['authenticator'] } },
      }),
    },
  },
];
