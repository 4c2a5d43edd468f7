import { overdueAfter } from '../../browser/requests/request-status.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type Act, pick, press, submit, type, wait } from '../../gallery/acts.ts';
import { account, accountOf, over, signedIn } from '../../gallery/examples/account.ts';
import { alarms, computerAlarms } from '../../gallery/examples/devices.ts';
import { answers, type Reply } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { type AlarmRule, defaultAlarmRules } from '../contract/alarm-rules.ts';
import { type Alarms, addPause, changeQuietHours, readAlarms } from './alarms.contract.ts';
import {
  type AlarmChannels,
  changeAlarmChannel,
  keepPush,
  linkTelegram,
  listAlarmChannels,
  readPush,
  setWebhook,
  testAlarmChannel,
} from './channels/channels.contract.ts';
import { addAlarmRule, changeAlarmRule, orderAlarmRules, previewAlarmRule, removeAlarmRule } from './rules.contract.ts';

const usual = { tags: [], computers: [], by: 'all' as const, channels: [], at_end: true, remind_hours: null };
/** One of each condition, for all, a tag and devices. */
const rules: AlarmRule[] = [
  {
    ...{ ...usual, id: 'a', tags: ['Berlin'], when: { event: 'silent', after_minutes: 10 } },
    ...{ by: 'chosen', channels: ['email', 'call'], remind_hours: 3 },
  },
  { ...usual, id: 'b', computers: ['Server'], when: { event: 'silent', after_minutes: 60 }, by: 'none' },
  { ...usual, id: 'c', when: { event: 'stopped' }, by: 'chosen' },
  { ...usual, id: 'd', when: { event: 'record', kind: 'door', text: 'opened' } },
  {
    ...{ ...usual, id: 'e', at_end: false },
    when: { event: 'value', value: 'memory', is: 'above', limit: 90, for_minutes: 10 },
  },
  ...defaultAlarmRules,
];

type Channel = AlarmChannels[number];
const channel = (name: Channel['channel'], known: Partial<Channel> = {}): Channel => ({
  ...{ channel: name, after_minutes: null, recipient: null, broken: null, broken_since: null },
  ...known,
});
const byEmail = channel('email', { after_minutes: 0, recipient: 'anna@example.com' });
const calm = [byEmail, channel('push'), channel('telegram'), channel('webhook'), channel('sms'), channel('call')];
const broken = { broken: 'the provider answered 402', broken_since: '2026-11-21T11:03:00Z' };
const loud = [
  byEmail,
  channel('push', { after_minutes: 0, recipient: `Chrome, Android · ${'W'.repeat(60)}` }),
  channel('telegram'),
  channel('webhook', { after_minutes: 0, recipient: 'hooks.example.com' }),
  channel('sms', { recipient: '…47' }),
  channel('call', { after_minutes: 7, recipient: '…47', ...broken }),
];
const reaching = (channels: AlarmChannels, ...more: readonly Reply[]) =>
  having({}, ...more, answers(listAlarmChannels, { channels: [...channels] }));

const having = (known: Partial<Alarms> = {}, ...more: readonly Reply[]) =>
  ({
    ...signedIn,
    replies: [
      ...more,
      answers(readAlarms, { ...alarms, ...known }),
      answers(listAlarmChannels, { channels: calm }),
      account,
    ],
  }) satisfies Partial<State>;
const failing = (what: string, endpoint: Endpoint, ...acts: readonly Act[]) => {
  const refusals = refusalsOf(endpoint, {
    from: {
      ...signedIn,
      acts,
      replies: [answers(readAlarms, alarms), answers(listAlarmChannels, { channels: loud }), account, ...over],
    },
    details: {
      validation_failed: { fields: [] },
      alarm_limit_reached: { limit: 50 },
      too_many_requests: { minutes: 4 },
    },
    words: { not_signed_in: 'failure.session_ended' },
  });
  return Object.fromEntries(Object.entries(refusals).map(([name, state]) => [`${what}, ${name}`, state]));
};
const browser = {
  id: 'b',
  device: 'Chrome, Android',
  created_at: '2026-11-01T08:00:00Z',
  seen_at: '2026-11-21T12:00:00Z',
};
const pushKey = answers(readPush, { key: 'BEY', browsers: [browser] });
/** A browser that can show alarms, and does if it has a subscription. */
const here = (permission: NotificationPermission, isOn: boolean, ...more: readonly Reply[]): State => {
  const push = isOn ? { after_minutes: 0, recipient: browser.device } : {};
  const channels = calm.map((one) => (one.channel === 'push' ? { ...one, ...push } : one));
  const state = reaching(channels, ...more, pushKey, answers(keepPush, { id: 'b' }));
  const subscription = {
    options: { applicationServerKey: new Uint8Array([4, 70]).buffer },
    toJSON: () => ({ endpoint: 'https://push.example.com/x', keys: { p256dh: 'k', auth: 'a' } }),
    unsubscribe: async () => true,
  };
  const registration = { pushManager: { getSubscription: async () => (isOn ? subscription : null) } };
  return {
    ...state,
    before() {
      state.before();
      const define = (on: object, name: string, value: unknown) =>
        Object.defineProperty(on, name, { configurable: true, value });
      define(window, 'PushManager', {});
      define(window, 'Notification', { permission, requestPermission: async () => permission });
      define(navigator, 'serviceWorker', { getRegistration: async () => registration });
    },
    shows: [],
  };
};
const nightFrom = (day: number) => ({
  from: new Date(Date.UTC(2026, 10, day, 18)).toISOString(),
  until: new Date(Date.UTC(2026, 10, day + 1, 6)).toISOString(),
});
const night = [23, 24, 25].map(nightFrom);
const pause = (known: Partial<Alarms['pauses'][number]>, next: Alarms['pauses'][number]['next']) => ({
  ...{ id: known.kind ?? '', kind: 'off_hours' as const, tags: [], computers: [], time_zone: 'Europe/Berlin' },
  ...{ from: null, until: null, days_off: [], ...known, next },
});
const offAtNight = pause({ id: 'night', kind: 'off_hours', from: '19:00', until: '07:00' }, night);

export const states: readonly States[] = [
  {
    of: 'Alarm rules',
    page: 'alarm-rules',
    states: {
      read: {
        ...having(),
        shows: ['rules.title', 'rules.hint', 'rules.silent', 'rules.below', 'rules.by_all', 'rules.add'],
      },
      'rules of every kind': {
        ...having({ rules, computers: [computerAlarms('Server'), computerAlarms('Front desk', { tags: ['Berlin'] })] }),
        shows: [
          ...(['rules.stopped', 'rules.record', 'rules.above', 'rules.for', 'alarms.never', 'rules.reminds'] as const),
          ...(['rules.without_end', 'incidents.call', 'pauses.change', 'pauses.remove'] as const),
        ],
      },
      'rules without effect': {
        ...having({
          rules: [
            { ...usual, id: 'a', when: { event: 'stopped' } },
            { ...usual, id: 'b', tags: ['Berlin'], when: { event: 'stopped' } },
            { ...usual, id: 'c', tags: ['Lyon'], when: { event: 'silent', after_minutes: 10 } },
            { ...usual, id: 'd', computers: ['gone'], when: { event: 'record', kind: 'door', text: '' } },
            { ...usual, id: 'e', tags: ['phones'], when: { event: 'silent', after_minutes: 60 } },
            {
              ...{ ...usual, id: 'f', when: { event: 'silent', after_minutes: 30 } },
              ...{ by: 'chosen', channels: ['telegram', 'sms'] },
            },
          ],
          computers: [
            computerAlarms('Front desk', { tags: ['Berlin'] }),
            computerAlarms('هاتف ليلى', { tags: ['phones'], kind: 'smartphone' }),
          ],
        }),
        search: '?rule=f',
        shows: [
          ...(['rules.shadowed', 'rules.unmatched', 'rules.asleep', 'rules.unsent'] as const),
          'rules.removed_devices',
        ],
      },
      'rules, long names': {
        ...having({
          computers: [computerAlarms('W'.repeat(170)), computerAlarms('هاتف ليلى')],
          rules: [{ ...usual, id: 'a', computers: ['W'.repeat(170), 'هاتف ليلى'], when: { event: 'stopped' } }],
        }),
        shows: ['rules.stopped'],
      },
      'a new rule': {
        ...having(),
        acts: [press('rules.add')],
        shows: ['rules.what', 'rules.duration', 'rules.by', 'rules.at_end', 'rules.remind', 'rules.preview'],
      },
      'a rule about records, without words': {
        ...having(),
        acts: [press('rules.add'), type({ rule_what: 'record' }), submit],
        shows: ['dashboard.filter_kind', 'rules.text', 'invalid.required'],
      },
      'a rule about a value, by certain channels': {
        ...having(),
        acts: [press('rules.add'), type({ rule_what: 'memory_high', rule_by: 'chosen' })],
        shows: ['rules.limit', 'rules.by_chosen', 'incidents.push', 'incidents.call'],
      },
      'what a rule would have reported': {
        ...having(
          {},
          answers(previewAlarmRule, {
            ...{ count: 7, complete: true },
            newest: ['Front desk', 'Server', 'هاتف ليلى'].map((name, at) => ({
              ...{ name, computer: name, at: `2026-11-${20 - at}T09:26:00Z` },
            })),
          }),
        ),
        acts: [press('rules.add'), press('rules.preview')],
        shows: ['rules.found'],
      },
      'what a rule would have reported, as far as is known': {
        ...having({}, answers(previewAlarmRule, { count: 0, complete: false, newest: [] })),
        acts: [press('rules.add'), press('rules.preview')],
        shows: ['rules.found_about'],
      },
      'a rule added': {
        ...having({}, answers(addAlarmRule, { rules })),
        acts: [press('rules.add'), submit],
        shows: ['rules.stopped', 'rules.add'],
      },
      'a rule moved': {
        ...having({}, answers(orderAlarmRules, { rules: defaultAlarmRules.toReversed() })),
        acts: [press('rules.down')],
        shows: ['rules.place'],
      },
      'a rule removed': {
        ...having({}, answers(removeAlarmRule, { rules: [] })),
        acts: [press('pauses.remove')],
        shows: ['rules.add'],
      },
      ...failing('adding a rule', addAlarmRule, press('rules.add'), submit),
      ...failing('changing a rule', changeAlarmRule, press('pauses.change'), submit),
      ...failing('trying a rule', previewAlarmRule, press('rules.add'), press('rules.preview')),
      'alarms on this device': {
        ...here('default', false),
        shows: ['incidents.push', 'push.lead', 'security.authenticator_confirm', 'channels.unconfirmed'],
      },
      'alarms on this device, blocked': {
        ...here('denied', false),
        acts: [press('security.authenticator_confirm')],
        shows: ['push.denied'],
      },
      'alarms on this device are on': {
        ...here('granted', true),
        shows: ['push.turned_on', 'security.authenticator_remove'],
      },
      'alarms on an iPhone in the browser': {
        ...here('default', false),
        before() {
          here('default', false).before?.();
          Reflect.deleteProperty(window, 'PushManager');
          Object.defineProperty(navigator, 'userAgent', { configurable: true, value: 'iPhone' });
          Object.defineProperty(navigator, 'maxTouchPoints', { configurable: true, value: 5 });
        },
        shows: ['computers_add.phone_apple'],
      },
      'channels, one broken': {
        ...reaching(
          loud.map((one) =>
            one.channel === 'telegram' ? channel('telegram', { after_minutes: 5, recipient: 'هاتف ليلى' }) : one,
          ),
        ),
        shows: [
          ...(['channels.title', 'channels.broken', 'channels.test', 'channels.at_once'] as const),
          ...([
            'channels.after',
            'channels.off',
            'pauses.change',
            'incidents.call',
            'channels.webhook_replace',
          ] as const),
        ],
      },
      'a channel is chosen': {
        ...reaching(loud.slice(0, 4), answers(changeAlarmChannel, { channels: loud.slice(0, 4) })),
        acts: [press('pauses.change', 'incidents.push')],
        shows: ['channels.when', 'channels.remove', 'account.save'],
      },
      ...failing(
        'choosing a channel',
        changeAlarmChannel,
        press('pauses.change', 'incidents.push'),
        press('account.save', 'incidents.push'),
      ),
      'a chat is connected': {
        ...having(
          {},
          answers(linkTelegram, { link: 'https://t.me/our_bot?start=AbC', expires_at: '2030-01-01T00:00:00Z' }),
        ),
        acts: [press('security.authenticator_add')],
        shows: ['channels.telegram_open', 'channels.telegram_link'],
      },
      'a webhook is set up': {
        ...reaching([channel('webhook')], answers(setWebhook, { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })),
        acts: [
          press('security.authenticator_add'),
          type({ url: 'https://hooks.example.com/alarms' }),
          press('account.save'),
        ],
        shows: ['channels.webhook_secret', 'computers_add.copy'],
      },
      'the address of a webhook is replaced': {
        ...reaching(
          [channel('webhook', { after_minutes: 0, recipient: 'hooks.example.com' })],
          answers(setWebhook, { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
        ),
        acts: [
          press('channels.webhook_replace'),
          type({ url: 'https://hooks.example.com/alarms' }),
          press('account.save', 'channels.webhook'),
        ],
        shows: ['channels.webhook_secret', 'channels.test', 'pauses.change'],
      },
      'a webhook that cannot be reached': {
        ...reaching([channel('webhook')]),
        acts: [press('security.authenticator_add'), type({ url: 'hooks.example.com' }), press('account.save')],
        shows: ['channels.not_set_up', 'channels.webhook_url', 'invalid.url_invalid'],
      },
      'a webhook without a URL': {
        ...reaching([channel('webhook')]),
        acts: [press('security.authenticator_add'), press('account.save')],
        shows: ['channels.webhook_url', 'invalid.required'],
      },
      ...failing('connecting a chat', linkTelegram, press('security.authenticator_add')),
      'a channel is tested': {
        ...reaching(loud, answers(testAlarmChannel, { state: 'sent', said: '201' })),
        acts: [press('channels.test')],
        shows: ['channels.tested'],
      },
      'a channel does not work': {
        ...reaching(loud, answers(testAlarmChannel, { state: 'failed', said: 'the provider answered 402' })),
        acts: [press('channels.test')],
        shows: ['incidents.failed'],
      },
      ...failing('testing a channel', testAlarmChannel, press('channels.test')),
      'address not confirmed': {
        ...having(
          { email_confirmed: false, channels: ['email'] },
          answers(listAlarmChannels, { channels: [channel('email')] }),
          accountOf({ email_confirmed: false }),
        ),
        shows: ['alarms.email_unconfirmed', 'rules.all_unsent', 'account.unconfirmed_alarms'],
      },
      'quiet hours': {
        ...having({ quiet_hours: { from: '22:00', until: '07:00' } }),
        acts: [press('pauses.change', 'alarms.quiet_hours')],
        shows: ['alarms.quiet_hours', 'alarms.quiet', 'alarms.quiet_from', 'alarms.quiet_until', 'alarms.quiet_hint'],
      },
      'quiet hours without a time': {
        ...having({ quiet_hours: { from: '22:00', until: '07:00' } }),
        acts: [press('pauses.change', 'alarms.quiet_hours'), type({ alarm_from: '' }), submit],
        shows: ['form.problem', 'invalid.required'],
      },
      'off hours, maintenance and an offer': {
        ...having({
          pauses: [
            pause({ kind: 'off_hours', tags: ['Berlin'], from: '19:00', until: '07:00', days_off: [6, 7] }, night),
            pause({ kind: 'maintenance', from: '2026-12-01T22:00', until: '2026-12-02T02:00' }, night.slice(0, 1)),
          ],
          usually_off: [{ computers: ['Front desk', 'Server'], from: '18:00', until: '08:00', days_off: [7] }],
        }),
        shows: [
          ...(['pauses.title', 'pauses.hint', 'pauses.off', 'pauses.all_day', 'pauses.next'] as const),
          ...(['pauses.maintenance', 'pauses.usually', 'pauses.accept', 'pauses.change', 'pauses.remove'] as const),
        ],
      },
      'off hours added': {
        ...having({ pauses: [offAtNight] }, answers(addPause, { pauses: [offAtNight] })),
        acts: [press('pauses.add_off'), press('account.save', 'pauses.title')],
        shows: ['pauses.off'],
      },
      'off hours without hours': {
        ...having(),
        acts: [
          press('pauses.add_off'),
          pick('some'),
          type({ pause_from: '', pause_until: '' }),
          press('account.save', 'pauses.title'),
        ],
        shows: ['pauses.days', 'pauses.some', 'invalid.required', 'account.time_zone'],
      },
      'maintenance planned': {
        ...having(),
        acts: [press('pauses.add_maintenance')],
        shows: ['pauses.begins', 'pauses.ends', 'account.time_zone'],
      },
      ...failing('adding off hours', addPause, press('pauses.add_off'), press('account.save', 'pauses.title')),
      'no devices': { ...having({ computers: [] }), shows: ['rules.add'] },
      'quiet hours saved': {
        ...having({}, answers(changeQuietHours, { ...alarms, quiet_hours: { from: '22:00', until: '07:00' } })),
        acts: [press('pauses.change', 'alarms.quiet_hours'), submit],
        shows: ['alarms.quiet_hours'],
      },
      ...failing('saving quiet hours', changeQuietHours, press('pauses.change', 'alarms.quiet_hours'), submit),
      'still being read': { ...signedIn, replies: [account], acts: [wait(overdueAfter)], shows: ['frame.overdue'] },
      ...failing('reading', readAlarms),
    },
  },
];
