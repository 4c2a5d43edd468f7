import { confirmationWays } from '../../contract/call-ways.ts';
import { minutes, seconds } from '../../contract/units.ts';
import { press, type, unfold } from '../../gallery/acts.ts';
import { placedCall } from '../../gallery/examples/devices.ts';
import { answers, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { confirmDigits, readCall, requestCall, requestMail } from './confirm-phone.contract.ts';
import { type AwaitedCall, keepCall } from './use-confirm-phone.part.ts';

const settings = { phoneWays: confirmationWays };
const phone = '+1 202 555 0147';
const callMe = [type({ phone }), press('phone.call_me')];
const otherWays = unfold('phone.other_ways');
const mailMe = [type({ phone, email: 'anna@example.com' }), otherWays, press('phone.mail')];
const speak = [type({ phone }), otherWays, press('phone.voice')];
/** A pending call, restored after a reload. */
const waitingFor = (call: Partial<AwaitedCall> = {}) =>
  ({
    settings,
    before: () =>
      keepCall({ id: 'c', way: 'ring', to: phone, lengths: [4], resendAt: Date.now() + minutes(1), ...call }),
  }) satisfies Partial<State>;
const mayAskAgain = () => Date.now() - seconds(1);
const waiting = waitingFor();
const digits = (typed: string) => [type({ digits: typed }), press('phone.confirm')];
const confirmed = answers(confirmDigits, { phone_confirmation: 'p', phone: '+12025550147' });

export const states: readonly States[] = [
  {
    of: 'Confirm phone: requesting',
    page: 'register',
    states: {
      first: { shows: ['phone.what_happens'] },
      optional: { settings: { phoneConfirmation: 'optional' }, shows: ['phone.optional'] },
      disabled: { settings: { phoneConfirmation: 'off' }, shows: ['register.title'] },
      'other ways': {
        settings,
        acts: [otherWays],
        shows: ['phone.other_ways', 'phone.voice', 'phone.mail'],
      },
      'message as the first way': { settings: { phoneWays: ['sms', 'ring'] }, shows: ['phone.sms', 'phone.call_me'] },
      'without a number': { acts: [press('phone.call_me')], shows: ['invalid.required'] },
      'wrong number': { acts: [type({ phone: '12' }), press('phone.call_me')], shows: ['invalid.phone_invalid'] },
      calling: { acts: callMe, shows: ['phone.calling'] },
      ...refusalsOf(requestCall, {
        from: { acts: callMe, settings },
        words: { phone_invalid: 'invalid.phone_invalid' },
      }),
      'a message that cannot be sent': {
        settings: { phoneWays: ['sms', 'ring'] },
        acts: [type({ phone }), press('phone.sms')],
        replies: [refuses(requestCall, 'call_failed')],
        shows: ['phone.message_failed', 'phone.sms'],
      },
      'another browser waits for the number': {
        settings,
        acts: callMe,
        replies: [refuses(requestCall, 'number_in_use', { ways: ['sms', 'mail'] })],
        shows: ['failure.number_in_use', 'phone.other_ways', 'phone.sms', 'phone.mail'],
      },
      'daily budget used up': {
        settings,
        acts: callMe,
        replies: [refuses(requestCall, 'too_many_calls', { minutes: 300, ways: ['telegram', 'mail'] })],
        shows: ['failure.too_many_calls', 'phone.other_ways', 'phone.telegram', 'phone.mail'],
      },
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(requestMail, {
            from: { acts: mailMe, settings },
            words: { phone_invalid: 'invalid.phone_invalid' },
          }),
        ).map(([name, state]) => [`link ${name}`, state]),
      ),
      'link without an email address': {
        settings,
        acts: [type({ phone }), otherWays, press('phone.mail')],
        shows: ['form.wait'],
      },
    },
  },
  {
    of: 'Confirm phone: waiting',
    page: 'register',
    states: {
      'for a call': {
        acts: callMe,
        replies: [answers(requestCall, placedCall)],
        shows: ['phone.waiting', 'phone.resend_in', 'phone.help_title'],
      },
      'with help': {
        ...waiting,
        acts: [unfold('phone.help_title')],
        shows: ['phone.help_number', 'phone.help_missed', 'phone.help_withheld'],
      },
      'for a voice call': {
        settings,
        acts: speak,
        replies: [answers(requestCall, placedCall)],
        shows: ['phone.voice_waiting', 'phone.voice_digits', 'phone.help_voice_title'],
      },
      'for the user’s own call': {
        ...waiting,
        acts: [type({ phone }), otherWays, press('phone.reverse')],
        replies: [answers(requestCall, { ...placedCall, number: '+12025550199' })],
        shows: ['phone.reverse_waiting', 'phone.reverse_how', 'phone.again_in'],
      },
      'for a message': {
        ...waiting,
        acts: [type({ phone }), otherWays, press('phone.sms')],
        replies: [answers(requestCall, placedCall)],
        shows: ['phone.sms_waiting', 'phone.sms_digits', 'phone.again_in'],
      },
      'for a message by WhatsApp': {
        ...waiting,
        acts: [type({ phone }), otherWays, press('phone.whatsapp')],
        replies: [answers(requestCall, placedCall)],
        shows: ['phone.whatsapp_waiting', 'phone.whatsapp_digits'],
      },
      'for a message in Telegram': {
        ...waiting,
        acts: [type({ phone }), otherWays, press('phone.telegram')],
        replies: [answers(requestCall, placedCall)],
        shows: ['phone.telegram_waiting', 'phone.telegram_digits'],
      },
      'for a link': {
        settings,
        acts: mailMe,
        replies: [answers(requestMail, placedCall)],
        shows: ['phone.mail_waiting'],
      },
      'after a reload': { ...waiting, shows: ['phone.waiting'] },
      'for a second way, with one left': {
        ...waitingFor({ ways: ['voice', 'sms'] }),
        acts: [type({ phone }), otherWays, press('phone.sms')],
        replies: [refuses(requestCall, 'too_many_calls', { minutes: 60, ways: ['voice'] })],
        shows: ['phone.waiting', 'failure.too_many_calls', 'phone.digits', 'phone.voice'],
      },
      'another call is allowed': {
        settings,
        before: () => keepCall({ id: 'c', way: 'ring', to: phone, lengths: [4], resendAt: mayAskAgain() }),
        shows: ['phone.resend', 'phone.other_ways'],
      },
      'without digits': { ...waiting, acts: [press('phone.confirm')], shows: ['invalid.required'] },
      'letters instead of digits': { ...waiting, acts: digits('abcd'), shows: ['invalid.digits_only'] },
      'too few digits': { ...waiting, acts: digits('12'), shows: ['invalid.digits_four'] },
      'too few spoken digits': {
        ...waitingFor({ way: 'voice', lengths: [6] }),
        acts: digits('1234'),
        shows: ['invalid.code_six'],
      },
      checking: { ...waiting, acts: digits('0147'), shows: ['form.wait'] },
      ...refusalsOf(confirmDigits, {
        from: { ...waiting, acts: digits('0000') },
        words: { call_failed: 'failure.try_again_later' },
        details: { digits_incorrect: { attempts_left: 2 } },
      }),
      'no tries left': {
        ...waiting,
        acts: digits('0000'),
        replies: [refuses(confirmDigits, 'digits_incorrect', { attempts_left: 0 })],
        shows: ['failure.digits_used_up'],
      },
      'the call failed': {
        ...waiting,
        replies: [answers(readCall, { state: 'failed' })],
        shows: ['failure.call_failed'],
      },
      'the call expired': {
        ...waiting,
        replies: [answers(readCall, { state: 'expired' })],
        shows: ['failure.call_expired'],
      },
      'the user’s own call is late': {
        ...waitingFor({ way: 'reverse', number: '+12025550199' }),
        replies: [answers(readCall, { state: 'expired' })],
        shows: ['phone.reverse_expired'],
      },
      'the message failed': {
        ...waitingFor({ way: 'sms', lengths: [6] }),
        replies: [answers(readCall, { state: 'failed' })],
        shows: ['phone.message_failed'],
      },
      'the link expired': {
        ...waitingFor({ way: 'mail', to: 'anna@example.com' }),
        replies: [answers(readCall, { state: 'expired' })],
        shows: ['failure.confirmation_link_expired'],
      },
      confirmed: {
        ...waiting,
        acts: digits('0147'),
        replies: [confirmed],
        shows: ['phone.confirmed', 'phone.confirmed_long'],
      },
      'confirmed by email': {
        ...waitingFor({ way: 'mail', to: 'anna@example.com' }),
        replies: [answers(readCall, { state: 'confirmed', phone_confirmation: 'p' })],
        shows: ['phone.confirmed_by_mail'],
      },
    },
  },
];
