import type { FieldFailure } from '../../../../contract/failures.ts';
import { type Act, press, submitDialog, type } from '../../../../gallery/acts.ts';
import { inConsole, operatorAs } from '../../../../gallery/examples/operators.ts';
import { answers, type Reply, refuses } from '../../../../gallery/replies.ts';
import type { State, States } from '../../../../gallery/state.tsx';
import type { MessageId } from '../../../../messages/ids.ts';
import {
  addApplication,
  addApplicationSecret,
  changeApplication,
  listApplications,
  readApplication,
} from '../../applications.contract.ts';
import { listJobs } from '../../jobs.contract.ts';
import {
  addPromoCode,
  listCalls,
  listEmails,
  listGroups,
  listPromoCodes,
  listSettings,
  listSuppressed,
  retryEmails,
} from '../../service.contract.ts';
import { addWebhook, addWebhookSecret, listDeliveries, listWebhooks, testWebhook } from '../../webhooks.contract.ts';

const at = '2026-01-01T12:00:00Z';
const showing = (list: string, reply: Reply): State & { readonly replies: readonly Reply[] } => ({
  ...inConsole,
  search: `?list=${list}`,
  replies: [...inConsole.replies, reply],
  shows: ['console_service.page'],
});
const email = { id: '1', account_id: 'b', to: 'anna@example.com', created_at: at, sent_at: null, attempts: 3 };
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
  email: 'anna@example.com',
  at,
  reason: 'no_such_address',
  told_by: 'smtp',
  detail: '550',
};
const suppressed = showing(
  'suppressed',
  answers(listSuppressed, {
    items: [returned, { ...returned, account_id: null, email: 'bob@example.com', reason: 'complaint' }],
    next: null,
  }),
);

const receiver = {
  ...{ id: 'a', receiver: 'https://crm.example.com/hooks', events: ['account.created', 'account.deleted'] },
  ...{ secrets: 1, from_file: false, disabled_at: null, doubt: null },
};
const receivers = showing(
  'receivers',
  answers(listWebhooks, {
    items: [
      receiver,
      { ...receiver, id: 'b', receiver: `https://${'billing.'.repeat(9)}example.com/`, secrets: 2, disabled_at: at },
      {
        ...receiver,
        id: 'd',
        receiver: 'https://thief.example/',
        disabled_at: at,
        doubt: { by: 'o', name: 'Olga Klein', since: at },
      },
      { ...receiver, id: 'c', receiver: 'https://wiki.example.com/events', from_file: true },
    ],
  }),
);
const wiki = {
  ...{ client_id: 'w', client_name: 'Wiki', redirect_uris: ['https://wiki.example.com/callback'], created_at: at },
  ...{
    post_logout_redirect_uris: [],
    id_token_signed_response_alg: 'RS256',
    groups: ['staff'],
    resources: [],
    apis: [],
  },
  ...{ claims: {}, without_pkce: false, public: false, first_party: false, service: false, device: false },
  ...{ claims_in_id_token: false, from_file: true, secrets: [], doubt: null },
};
const applications = showing(
  'applications',
  answers(listApplications, {
    items: [
      {
        ...wiki,
        client_id: 'd',
        client_name: 'Notes',
        claims: { preferred_username: 'email' },
        from_file: false,
        secrets: [{ created_at: at }],
        doubt: { by: 'o', name: 'Olga Klein', since: at },
      },
      wiki,
      {
        ...{ ...wiki, client_id: 'app', client_name: 'Diagnostics '.repeat(6), from_file: false, groups: [] },
        ...{
          secrets: [{ created_at: at }, { created_at: at }],
          redirect_uris: [`https://${'app.'.repeat(20)}example/`],
        },
      },
    ],
  }),
);
const promoCodes = showing(
  'promo-codes',
  answers(listPromoCodes, {
    items: [{ code: 'SPRING', uses_left: 9, used: 1, valid_until: at, created_at: at }],
    next: null,
  }),
);
const refusal = {
  ...{ at, route: '/oidc/token', code: 'invalid_grant', explanation: 'the code was used before', value: '' },
  reference: '0f3c51aa',
};
const refusals = [
  refusal,
  {
    ...{ ...refusal, route: '/oidc/auth', code: 'invalid_redirect_uri', explanation: 'redirect_uri is not registered' },
    value: 'https://wiki.example.com/callback/',
  },
];
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=';
const job = {
  ...{ id: 'j', act: 'lock' as const, created_at: at, total: 40, done: 40, finished_at: at, stopped: null, failed: 0 },
  ...{ actor_kind: 'operator' as const, actor: 'o', actor_name: 'Olga Klein' },
};

const addingReceiver = [press('console_webhooks.add'), type({ url: 'https://crm.example.com/hooks' }), submitDialog];
const addingApplication = [
  press('console_applications.add'),
  type({ client_name: 'Wiki', redirect_uris: 'https://wiki.example.com/callback' }),
  submitDialog,
];

/** A list once an operator did something, and got these replies. */
const doing = (
  from: Partial<State> & { readonly replies: readonly Reply[] },
  acts: readonly Act[],
  shows: readonly MessageId[],
  ...replies: readonly Reply[]
): State => ({ ...from, acts, shows, replies: [...replies, ...from.replies] });

/** A new application with a field that the server refuses. */
const refusedApplication = (field: string, code: FieldFailure['code'], params?: FieldFailure['params']): State =>
  doing(
    applications,
    addingApplication,
    [`invalid.${code}`],
    refuses(addApplication, 'validation_failed', { fields: [{ field, code, ...(params && { params }) }] }),
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
          'console_service.receivers',
          'console_service.jobs',
          'console_service.applications',
          'console_service.promo_codes',
          'console_service.nodes',
          'console_service.settings',
          'console_service.keys',
        ],
      },
      'send an email again': doing(sending, [press('recovery.resend')], ['console_act.retry_one_does', 'form.cancel']),
      'sent again': doing(
        sending,
        [press('recovery.resend'), submitDialog],
        ['console_act.done'],
        answers(retryEmails, { retried: ['1'] }),
      ),
      'sent meanwhile': doing(
        sending,
        [press('recovery.resend'), submitDialog],
        ['console_act.none_sent'],
        answers(retryEmails, { retried: [] }),
      ),
      'send all again': doing(sending, [press('console_service.retry_all')], ['console_service.retry_all_does']),
      'to support': {
        ...inConsole,
        replies: [...operatorAs('support'), answers(listEmails, { items: [], next: null })],
        shows: ['console_timeline.none'],
      },
      suppressed,
      'allow an address': doing(suppressed, [press('console_act.allow')], ['console_act.allow_does']),
      calls: {
        ...showing(
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
        shows: ['console_service.budget'],
      },
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
      receivers: { ...receivers, shows: ['console_webhooks.disabled', 'console_webhooks.two_secrets'] },
      'receivers to support': {
        ...receivers,
        replies: [...operatorAs('support'), ...receivers.replies],
        shows: ['console_webhooks.enable'],
      },
      'add a receiver': doing(
        receivers,
        [press('console_webhooks.add')],
        ['console_webhooks.add_does', 'console_webhooks.events', 'channels.webhook_url'],
      ),
      'receiver added': doing(
        receivers,
        addingReceiver,
        ['console_operators.once', 'console_act.done'],
        answers(addWebhook, { id: 'a', secret }),
      ),
      'receiver without events': doing(
        receivers,
        addingReceiver,
        ['invalid.required'],
        refuses(addWebhook, 'validation_failed', { fields: [{ field: 'events', code: 'required' }] }),
      ),
      'receiver exists': doing(
        receivers,
        addingReceiver,
        ['console_webhooks.exists'],
        refuses(addWebhook, 'webhook_exists'),
      ),
      'too many receivers': doing(
        receivers,
        addingReceiver,
        ['console_webhooks.limit'],
        refuses(addWebhook, 'webhook_limit_reached'),
      ),
      'test a receiver': doing(
        receivers,
        [press('console_webhooks.test'), submitDialog],
        ['console_webhooks.test_does', 'console_webhooks.accepted'],
        answers(testWebhook, { delivered: true, error: null }),
      ),
      'test refused': doing(
        receivers,
        [press('console_webhooks.test'), submitDialog],
        ['console_webhooks.refused'],
        answers(testWebhook, { delivered: false, error: 'HTTP 404' }),
      ),
      'new secret': doing(
        receivers,
        [press('console_webhooks.secret'), submitDialog],
        ['console_webhooks.secret_does', 'console_operators.once'],
        answers(addWebhookSecret, { id: 'a', secret }),
      ),
      'end a secret': doing(receivers, [press('console_webhooks.drop')], ['console_webhooks.drop_does']),
      'change the events of a receiver': doing(
        receivers,
        [press('console_webhooks.change')],
        ['console_webhooks.change_does', 'console_webhooks.events'],
      ),
      'enable a receiver': doing(receivers, [press('console_webhooks.enable')], ['console_webhooks.enable_does']),
      'remove a receiver': doing(receivers, [press('pauses.remove')], ['console_webhooks.remove_does']),
      applications: {
        ...applications,
        shows: [
          'console_service.doubted',
          'console_applications.confirm',
          'console_applications.add',
          'console_applications.refusals',
          'console_webhooks.two_secrets',
        ],
      },
      'add an application': doing(
        applications,
        [press('console_applications.add')],
        [
          'console_applications.add_does',
          'console_applications.name',
          'console_applications.redirect_uris',
          'console_applications.public',
          'console_applications.first_party',
        ],
      ),
      'application added': doing(
        applications,
        addingApplication,
        ['console_operators.once', 'console_act.done'],
        answers(addApplication, { client_id: 'w', client_secret: secret }),
      ),
      'wrong redirect URI': refusedApplication('redirect_uris', 'uri_invalid', { line: 1 }),
      'insecure redirect URI': refusedApplication('redirect_uris', 'uri_insecure', { line: 12 }),
      'redirect URI of the guard': refusedApplication('first_party', 'required'),
      'change an application': doing(
        applications,
        [press('console_act.edit')],
        [
          'console_applications.change_does',
          'console_applications.groups',
          'console_applications.groups_hint',
          'console_applications.post_logout',
          'console_applications.backchannel',
          'console_applications.claims',
          'console_applications.claims_hint',
        ],
      ),
      'wrong claim': doing(
        applications,
        [press('console_act.edit'), submitDialog],
        ['invalid.not_understood'],
        refuses(changeApplication, 'validation_failed', { fields: [{ field: 'claims.nick', code: 'not_understood' }] }),
      ),
      'application changed': doing(
        applications,
        [press('console_act.edit'), submitDialog],
        ['console_act.done'],
        answers(changeApplication, { client_id: 'd', client_secret: null }),
      ),
      'refused requests of an application': doing(
        applications,
        [press('console_applications.refusals')],
        ['console_applications.refusals_does', 'console_act.close'],
        answers(readApplication, { application: wiki, refusals }),
      ),
      'no refused requests': doing(
        applications,
        [press('console_applications.refusals')],
        ['console_timeline.none'],
        answers(readApplication, { application: wiki, refusals: [] }),
      ),
      'new secret of an application': doing(
        applications,
        [press('console_webhooks.secret'), submitDialog],
        ['console_applications.secret_does', 'console_operators.once'],
        answers(addApplicationSecret, { client_id: 'd', client_secret: secret }),
      ),
      'end a secret of an application': doing(
        applications,
        [press('console_webhooks.drop')],
        ['console_applications.drop_does'],
      ),
      'remove an application': doing(applications, [press('pauses.remove')], ['console_applications.remove_does']),
      groups: {
        ...showing(
          'groups',
          answers(listGroups, {
            items: [
              { name: 'editors', members: 12 },
              { name: 'staff', members: 3 },
            ],
          }),
        ),
        shows: ['console_service.members', 'console_person.groups'],
      },
      'confirm an application': doing(
        applications,
        [press('console_applications.confirm')],
        ['console_applications.confirm_does'],
      ),
      jobs: {
        ...showing(
          'jobs',
          answers(listJobs, { items: [job, { ...job, id: 'k', act: 'delete', failed: 2 }], next: null }),
        ),
        shows: ['console_job.progress', 'console_service.failed'],
      },
      'promo codes': promoCodes,
      'add a promo code': doing(
        promoCodes,
        [press('console_promo.add')],
        ['console_promo.add_does', 'console_promo.uses', 'console_promo.until', 'label.promo_code'],
      ),
      'promo code for nobody': doing(
        promoCodes,
        [press('console_promo.add'), type({ code: 'SPRING', uses: '0' }), submitDialog],
        ['invalid.number_invalid'],
        refuses(addPromoCode, 'validation_failed', {
          fields: [{ field: 'uses', code: 'number_invalid', params: { max: 999_999_999 } }],
        }),
      ),
      'promo code exists': doing(
        promoCodes,
        [press('console_promo.add'), type({ code: 'SPRING' }), submitDialog],
        ['console_promo.exists'],
        refuses(addPromoCode, 'promo_code_exists'),
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
