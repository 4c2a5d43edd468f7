import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCatalog } from './catalog.ts';
import type { MessageId } from './ids.ts';

/** The English texts that the specification fixes, word for word, including its spelling. */
const specified: Partial<Record<MessageId, string>> = {
  'sign_in.title': 'Welcome Back',
  'sign_in.method': 'Sign In with Email',
  'sign_in.submit': 'Login',
  'sign_in.forgot': 'Forgot password',
  'sign_in.success': 'Success! Getting data...',
  'register.title': 'Create a free account',
  'register.success': 'Account successfully created',
  'recovery.title': 'Password Recovery',
  'recovery.sent_title': 'Check your email',
  'reset.title': 'Set a new password',
  'label.name': 'Your Name',
  'label.phone': 'Phone number',
  'label.organization': 'Organization',
  'label.inn': 'INN',
  'label.promo_code': 'Promo code',
  'label.password_new': 'Enter new password',
  'label.password_verify': 'Verify your password',
  'phone.confirmed': 'Confirmed',
  'phone.confirmed_long': 'Phone successfully confirmed',
  'form.wait': 'Please, wait...',
  'invalid.required': 'Field cannot be empty',
  'invalid.too_long': 'The field must contain less than 180 characters',
  'invalid.too_short': 'Fields must contain at least 6 characters',
  'invalid.digits_only': 'There should only be numbers',
  'invalid.email_invalid': 'Please enter a valid e-mail address',
  'invalid.email_required': 'E-mail Field cannot be empty',
  'invalid.password_required': 'Password Field cannot be empty',
  'invalid.password_too_short':
    'The password must contain at least {min, plural, one {# character} other {# characters}}',
  'invalid.passwords_differ': 'The passwords don’t match',
  'invalid.phone_invalid': 'Check that the phone number is correct',
  'failure.not_found': 'Resource not found',
  'failure.server_error': 'Server error',
  'failure.unknown': 'An error occurred',
  'failure.email_cannot_be_used': 'This email cannot be used. Please try another one.',
  'failure.account_not_found': 'Account does not exists',
  'failure.incorrect_password': 'Incorrect password',
  'failure.incorrect_login_or_password': 'Incorrect login or password',
  'failure.too_many_attempts':
    'Too many login attempts. Please try again in {minutes, plural, one {# minute} other {# minutes}}.',
  'failure.try_again_later': 'An error has occurred. Please try again later.',
  'failure.account_exists': 'An account with this email already exists.',
  'failure.reset_link_invalid': 'Your reset link is no longer valid. Please request a new one.',
  'not_found.path': 'Page Not Found: {path}',
};

test('the English texts that the specification fixes are unchanged', () => {
  const { entries } = readCatalog(readFileSync(new URL('./en.po', import.meta.url), 'utf8'));
  const texts = Object.fromEntries(entries.map(({ id, text }) => [id, text]));
  expect(texts).toMatchObject(specified);
});
