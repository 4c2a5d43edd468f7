import { type ListedRoute, named, type Route } from '../browser/navigation/route.ts';

/**
 * Every page of the console, for operators only. Its bundle is built apart from that of `pages.ts`, so that other
 * visitors receive nothing of it.
 */
const listed: readonly ListedRoute[] = [
  {
    path: '/console/',
    screen: () => import('../journeys/operators/console/people/people.screen.tsx'),
    head: 'console_people',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/people/:id/',
    screen: () => import('../journeys/operators/console/person/person.screen.tsx'),
    head: 'console_person',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/people/:id/seen/',
    screen: () => import('../devices/dashboard/seen/seen.screen.tsx'),
    head: 'console_seen',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/jobs/:id/',
    screen: () => import('../journeys/operators/console/job/job.screen.tsx'),
    head: 'console_job',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/audit/',
    screen: () => import('../journeys/operators/console/audit/audit.screen.tsx'),
    head: 'console_audit',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/operators/',
    screen: () => import('../journeys/operators/console/operators/operators.screen.tsx'),
    head: 'console_operators',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/today/',
    screen: () => import('../journeys/operators/console/today/today.screen.tsx'),
    head: 'console_today',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/service/',
    screen: () => import('../journeys/operators/console/service/service.screen.tsx'),
    head: 'console_service',
    middleware: ['account'],
    operators: true,
  },
  {
    path: '/console/invitation/',
    screen: () => import('../journeys/operators/console/invitation/invitation.screen.tsx'),
    head: 'console_invitation',
    operators: true,
  },
];

export const consolePages: readonly Route[] = listed.map(named);
