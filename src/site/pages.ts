import type { Route } from '../browser/navigation/route.ts';

/**
 * Every page of the product: its address, its code, and what must hold before it is shown. The build finds out itself
 * which texts it can show (`build/texts/`).
 */
export const pages: readonly Route[] = [
  {
    name: 'sign-in',
    path: '/',
    screen: () => import('../journeys/sign-in/sign-in.screen.tsx'),
    head: 'sign_in',
    middleware: ['guest'],
    likelyNext: ['dashboard'],
    index: true,
  },
  {
    name: 'register',
    path: '/register/',
    screen: () => import('../journeys/register/register.screen.tsx'),
    head: 'register',
    middleware: ['guest'],
    likelyNext: ['computers-add'],
    index: true,
  },
  {
    name: 'recovery',
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
    index: true,
  },
  {
    name: 'confirm-mail',
    path: '/confirm-mail/',
    screen: () => import('../journeys/confirm-phone/confirm-mail.screen.tsx'),
    head: 'confirm_mail',
    withoutSession: true,
    index: false,
  },
  {
    name: 'dashboard',
    path: '/dashboard/',
    screen: () => import('../journeys/dashboard/dashboard.screen.tsx'),
    head: 'dashboard',
    middleware: ['account'],
    index: false,
  },
  {
    name: 'computers-add',
    path: '/computers/add/',
    screen: () => import('../journeys/computers/add-computers.screen.tsx'),
    head: 'computers_add',
    middleware: ['account'],
    likelyNext: ['dashboard'],
    index: false,
  },
  {
    name: 'account',
    path: '/account/',
    screen: () => import('../journeys/account/account.screen.tsx'),
    head: 'account',
    middleware: ['account'],
    index: false,
  },
  {
    name: 'error',
    path: '/error/',
    screen: () => import('./error.screen.tsx'),
    head: 'error_page',
    index: false,
    instead: true,
  },
  {
    name: 'not-found',
    path: '/404/',
    screen: () => import('./not-found.screen.tsx'),
    head: 'not_found',
    index: false,
    instead: true,
  },
];
