import { press, submitDialog } from '../../../../gallery/acts.ts';
import { inConsole, operatorAs } from '../../../../gallery/examples/operators.ts';
import { answers, type Reply, refuses } from '../../../../gallery/replies.ts';
import type { State, States } from '../../../../gallery/state.tsx';
import {
  listCalls,
  listDeliveries,
  listEmails,
  listPromoCodes,
  listSettings,
  listSuppressed,
  retryEmails,
} from '../../service.contract.ts';

const at = '2026-01-01T12:00:00Z';
const showing = (list: string, reply: Reply): State => ({
  ...inConsole,
  search: `?list=${list}`,
  replies: [...inConsole.replies, reply],
  shows: ['console_service.page'],
});
const email = { id: '1', to: 'a***@example.com', created_at: at, sent_at: null, attempts: 3 };
const webhook = {
  id: 'w',
  type: 'account.created',
  account: 'b',
  at,
  due_at: at,
  receiver: 'https://example.com/hook',
};

const sending = {
  ...inConsole,
  replies: [
    ...inConsole.replies,
    answers(listEmails, {
      items: [
        { ...email, notice: 'recovery', state: 'given_up', last_error: '550 mailbox full '.repeat(9) },
        { ...email, id: '2', notice: 'registered', state: 'sent', last_error: null },
      ],
      next: 'next',
    }),
  ],
} satisfies Partial<State>;
const returned = {
  account_id: 'b',
  email: 'a***@example.com',
  at,
  reason: 'no_such_address',
  told_by: 'smtp',
  detail: '550',
};
const suppressed = showing(
  'suppressed',
  answers(listSuppressed, {
    items: [returned, { ...returned, email: 'b***@example.com', reason: 'complaint' }],
    next: null,
  }),
);

export const states: readonly States[] = [
  {
    of: 'Console service',
    page: 'console-service',
    states: {
      emails: {
        ...sending,
        shows: [
          'account.emails',
          'account.older',
          'console_people.returned',
          'console_timeline.calls',
          'console_service.webhooks',
          'console_service.applications',
          'label.promo_code',
          'console_service.nodes',
          'console_service.settings',
          'console_service.keys',
        ],
      },
      'send an email again': {
        ...sending,
        acts: [press('recovery.resend')],
        shows: ['console_act.retry_one_does', 'form.cancel'],
      },
      'sent again': {
        ...sending,
        replies: [answers(retryEmails, { retried: ['1'] }), ...sending.replies],
        acts: [press('recovery.resend'), submitDialog],
        shows: ['console_act.done'],
      },
      'sent meanwhile': {
        ...sending,
        replies: [answers(retryEmails, { retried: [] }), ...sending.replies],
        acts: [press('recovery.resend'), submitDialog],
        shows: ['console_act.none_sent'],
      },
      'to support': {
        ...inConsole,
        replies: [...operatorAs('support'), answers(listEmails, { items: [], next: null })],
        shows: ['console_timeline.none'],
      },
      suppressed,
      'allow an address': { ...suppressed, acts: [press('console_act.allow')], shows: ['console_act.allow_does'] },
      'allow an address without an account': {
        ...showing('suppressed', answers(listSuppressed, { items: [{ ...returned, account_id: null }], next: null })),
        acts: [press('console_act.allow')],
        shows: ['label.email'],
      },
      calls: showing(
        'calls',
        answers(listCalls, {
          calls: [
            {
              ...{ provider: 'ucaller', way: 'ring', country: 'DE', asked: 9, placed: 8, confirmed: 7 },
              median_seconds: 9,
            },
          ],
          budget: { spent: 1, of: 10 },
        }),
      ),
      webhooks: showing(
        'webhooks',
        answers(listDeliveries, {
          items: [
            { ...webhook, state: 'given_up', attempts: 9, delivered_at: null, last_error: '500' },
            { ...webhook, id: 'x', state: 'delivered', attempts: 1, delivered_at: at, last_error: null },
          ],
          next: null,
        }),
      ),
      'promo codes': showing(
        'promo-codes',
        answers(listPromoCodes, {
          items: [{ code: 'SPRING', uses_left: 9, used: 1, valid_until: at, created_at: at }],
          next: null,
        }),
      ),
      settings: showing(
        'settings',
        answers(listSettings, {
          items: [
            { name: 'PUBLIC_URL', value: 'https://account.example.com', from: 'file', secret: false },
            { name: 'SMTP_URL', value: null, from: 'environment', secret: true },
            { name: 'LOG_LEVEL', value: 'info', from: 'default', secret: false },
          ],
        }),
      ),
      'not allowed': {
        ...inConsole,
        replies: [...inConsole.replies, refuses(listEmails, 'role_insufficient')],
        shows: ['console.not_allowed', 'form.retry'],
      },
    },
  },
];
