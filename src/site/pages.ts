import { type ListedRoute, named, type Route } from '../browser/navigation/route.ts';
import type { PageSettings } from '../contract/settings.ts';

/**
 * Every page of the product: its address, its code, and the conditions for showing it. The build finds its texts
 * (`build/page-texts.ts`).
 */
const listed: readonly ListedRoute[] = [
  {
    path: '/',
    screen: () => import('../journeys/sign-in/sign-in.screen.tsx'),
    head: 'sign_in',
    middleware: ['guest'],
    likelyNext: ['dashboard'],
    index: true,
  },
  {
    path: '/second-step/',
    screen: () => import('../journeys/second-step/second-step.screen.tsx'),
    head: 'second_step',
    middleware: ['guest'],
  },
  {
    path: '/register/',
    screen: () => import('../journeys/register/register.screen.tsx'),
    head: 'register',
    middleware: ['guest'],
    likelyNext: ['computers-add'],
    index: true,
  },
  {
    path: '/recovery/',
    screen: () => import('../journeys/recover-password/recovery.screen.tsx'),
    head: 'recovery',
    middleware: ['guest'],
    index: true,
  },
  {
    name: 'reset-password',
    path: '/reset-password/',
    screen: () => import('../journeys/recover-password/reset-password.screen.tsx'),
    head: 'reset',
    withoutSession: true,
    likelyNext: ['sign-in'],
    carriesLink: true,
    index: true,
  },
  {
    path: '/confirm-mail/',
    screen: () => import('../journeys/confirm-phone/by-mail/confirm-mail.screen.tsx'),
    head: 'confirm_mail',
    withoutSession: true,
    carriesLink: true,
  },
  {
    path: '/dashboard/',
    screen: () => import('../devices/dashboard/dashboard.screen.tsx'),
    wing: 'devices',
    head: 'dashboard',
    middleware: ['account'],
  },
  {
    path: '/dashboard/wall/',
    screen: () => import('../devices/dashboard/wall/wall.screen.tsx'),
    wing: 'devices',
    head: 'wall',
    middleware: ['account'],
  },
  {
    path: '/devices/',
    screen: () => import('../devices/dashboard/devices/devices.screen.tsx'),
    wing: 'devices',
    head: 'devices',
    middleware: ['account'],
  },
  {
    name: 'device',
    path: '/devices/:id/',
    screen: () => import('../devices/dashboard/device/device.screen.tsx'),
    wing: 'devices',
    head: 'devices',
    middleware: ['account'],
  },
  {
    path: '/records/',
    screen: () => import('../devices/dashboard/records/records.screen.tsx'),
    wing: 'devices',
    head: 'records',
    middleware: ['account'],
  },
  {
    path: '/notifications/',
    screen: () => import('../devices/dashboard/notifications/notifications.screen.tsx'),
    wing: 'devices',
    head: 'notifications',
    middleware: ['account'],
  },
  {
    name: 'alarms',
    path: '/alarms/',
    screen: () => import('../devices/alarms/incidents/incidents.screen.tsx'),
    wing: 'devices',
    head: 'account_alarms',
    middleware: ['account'],
  },
  {
    name: 'alarm-rules',
    path: '/alarms/rules/',
    screen: () => import('../devices/alarms/alarm-rules.screen.tsx'),
    wing: 'devices',
    head: 'account_alarms',
    middleware: ['account'],
  },
  {
    path: '/computers/add/',
    screen: () => import('../devices/add/add-computers.screen.tsx'),
    wing: 'devices',
    head: 'computers_add',
    middleware: ['account'],
    likelyNext: ['dashboard'],
  },
  {
    name: 'account',
    path: '/account/',
    screen: () => import('../journeys/account/account.screen.tsx'),
    head: 'account_profile',
    middleware: ['account'],
  },
  {
    path: '/account/security/',
    screen: () => import('../journeys/account/security/security.screen.tsx'),
    head: 'account_security',
    middleware: ['account'],
    carriesLink: true,
  },
  {
    path: '/account/sessions/',
    screen: () => import('../journeys/account/sessions/sessions.screen.tsx'),
    head: 'account_sessions',
    middleware: ['account'],
  },
  {
    path: '/account/notifications/',
    screen: () => import('../journeys/account/notifications/notifications.screen.tsx'),
    head: 'account_notifications',
    middleware: ['account'],
  },
  {
    path: '/account/privacy/',
    screen: () => import('../journeys/account/leaving/privacy.screen.tsx'),
    head: 'account_privacy',
    middleware: ['account'],
  },
  {
    path: '/change-email/',
    screen: () => import('../journeys/account/contacts/change-email.screen.tsx'),
    head: 'change_email',
    withoutSession: true,
    carriesLink: true,
  },
  {
    path: '/keep-second-step/',
    screen: () => import('../journeys/second-step/keep-second-step.screen.tsx'),
    head: 'keep_second_step',
    withoutSession: true,
    carriesLink: true,
  },
  {
    path: '/no-access/',
    screen: () => import('../journeys/forward-auth/no-access.screen.tsx'),
    head: 'no_access',
  },
  {
    path: '/connect/',
    screen: () => import('../journeys/openid/connect/connect.screen.tsx'),
    head: 'connect',
    middleware: ['account'],
  },
  {
    path: '/connect/failed/',
    screen: () => import('../journeys/openid/connect/failed.screen.tsx'),
    head: 'connect_failed',
    withoutSession: true,
  },
  {
    path: '/device/',
    screen: () => import('../journeys/openid/connect/device-authorization.screen.tsx'),
    head: 'connect_device',
    middleware: ['account'],
  },
  {
    path: '/sign-out/',
    screen: () => import('../journeys/openid/logout/sign-out.screen.tsx'),
    head: 'sign_out',
    withoutSession: true,
  },
  {
    name: 'error',
    path: '/error/',
    screen: () => import('./error.screen.tsx'),
    head: 'error_page',
    instead: true,
  },
  {
    path: '/404/',
    screen: () => import('./not-found.screen.tsx'),
    head: 'not_found',
    instead: true,
  },
];

export const pages: readonly Route[] = listed.map(named);

/** The pages that a service with these settings has. */
export const offeredPages = ({ devices }: Pick<PageSettings, 'devices'>): readonly Route[] =>
  devices ? pages : pages.filter(({ wing }) => wing === undefined);

/**
 * Paths of the data that a page shows first, by its name in `pages.ts`; `:id` is the last part of the page's address,
 * `:locale` its language. If the address has a query, it may select other data, so paths with a query are left out.
 * Browsers request them together with its scripts (`browser/requests/send.ts`).
 */
export const pageReads: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['/account', '/computers', '/computers/records?limit=10'],
  wall: ['/account', '/computers'],
  notifications: ['/account', '/account/notifications'],
  alarms: ['/account', '/account/incidents'],
  'alarm-rules': ['/account', '/account/alarms'],
  devices: ['/account', '/computers'],
  device: ['/account', '/computers/:id/history', '/computers/:id/alarms', '/computers/records?limit=10&computer=:id'],
  records: ['/account', '/computers', '/computers/records?limit=100'],
  'computers-add': ['/account'],
  account: ['/account'],
  'account-security': ['/account', '/account/security', '/account/activity?locale=:locale&limit=5'],
  'account-sessions': ['/account', '/account/sessions?locale=:locale'],
  'account-notifications': ['/account'],
  'account-privacy': ['/account', '/account/apps'],
};
