import type { Route } from './browser/route.ts';

/** What every page can show: its frame, its title while a form is refused, and the failures of any call. */
export const commonMessages = [
  'frame.*',
  'error_page.*',
  'failure.unknown',
  'failure.no_answer',
  'failure.not_found',
  'failure.server_error',
  'failure.csrf_failed',
  'failure.try_again_later',
];

const form = ['form.*', 'failure.malformed_request', 'failure.validation_failed', 'failure.too_many_requests'];
const emailField = [
  'label.email',
  'hint.email_suggestion',
  'invalid.email_required',
  'invalid.email_invalid',
  'invalid.too_long',
];
const passwordField = [
  'label.password',
  'hint.password_show',
  'hint.password_hide',
  'hint.caps_lock',
  'invalid.password_required',
];
const newPasswordFields = [
  ...passwordField,
  'label.password_new',
  'label.password_verify',
  'hint.password',
  'invalid.required',
  'invalid.password_too_short',
  'invalid.password_too_long',
  'invalid.password_common',
  'invalid.passwords_differ',
];
const account = ['account_frame.*', 'dashboard.page', 'failure.not_signed_in', 'failure.session_ended'];

/** Every page of the product: its address, its code, its texts, and what must hold before it is shown. */
export const pages: readonly Route[] = [
  {
    name: 'sign-in',
    path: '/',
    screen: () => import('./journeys/sign-in/sign-in.screen.tsx'),
    head: 'sign_in',
    messages: [
      'sign_in.*',
      'session_ended.*',
      'failure.incorrect_login_or_password',
      'failure.incorrect_password',
      'failure.account_not_found',
      'failure.too_many_attempts',
      ...form,
      ...emailField,
      ...passwordField,
    ],
    middleware: ['guest'],
    likelyNext: ['dashboard'],
    index: true,
  },
  {
    name: 'register',
    path: '/register/',
    screen: () => import('./journeys/register/register.screen.tsx'),
    head: 'register',
    messages: [
      'register.*',
      'label.*',
      'hint.*',
      'invalid.*',
      'failure.account_exists',
      'failure.email_cannot_be_used',
      ...form,
    ],
    middleware: ['guest'],
    likelyNext: ['computers-add'],
    index: true,
  },
  {
    name: 'recovery',
    path: '/recovery/',
    screen: () => import('./journeys/recover-password/recovery.screen.tsx'),
    head: 'recovery',
    messages: ['recovery.*', ...form, ...emailField],
    middleware: ['guest'],
    index: true,
  },
  {
    name: 'reset-password',
    path: '/reset-password/',
    screen: () => import('./journeys/recover-password/reset-password.screen.tsx'),
    head: 'reset',
    messages: ['reset.*', 'failure.reset_link_invalid', ...form, ...newPasswordFields],
    withoutSession: true,
    likelyNext: ['sign-in'],
    index: true,
  },
  {
    name: 'dashboard',
    path: '/dashboard/',
    screen: () => import('./journeys/dashboard/dashboard.screen.tsx'),
    head: 'dashboard',
    messages: ['dashboard.*', ...account],
    middleware: ['account'],
    index: false,
  },
  {
    name: 'computers-add',
    path: '/computers/add/',
    screen: () => import('./journeys/computers/add-computers.screen.tsx'),
    head: 'computers_add',
    messages: ['computers_add.*', ...account],
    middleware: ['account'],
    likelyNext: ['dashboard'],
    index: false,
  },
  {
    name: 'error',
    path: '/error/',
    screen: () => import('./ui/error-page.tsx'),
    head: 'error_page',
    messages: [],
    index: false,
    instead: true,
  },
  {
    name: 'not-found',
    path: '/404/',
    screen: () => import('./ui/not-found-page.tsx'),
    head: 'not_found',
    messages: ['not_found.*'],
    index: false,
    instead: true,
  },
];
