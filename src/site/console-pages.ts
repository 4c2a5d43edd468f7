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
  },
  {
    path: '/console/people/:id/',
    screen: () => import('../journeys/operators/console/person/person.screen.tsx'),
    head: 'console_person',
  },
  {
    path: '/console/people/:id/seen/',
    screen: () => import('../devices/dashboard/seen/seen.screen.tsx'),
    head: 'console_seen',
  },
  {
    path: '/console/jobs/:id/',
    screen: () => import('../journeys/operators/console/job/job.screen.tsx'),
    head: 'console_job',
  },
  {
    path: '/console/audit/',
    screen: () => import('../journeys/operators/console/audit/audit.screen.tsx'),
    head: 'console_audit',
  },
  {
    path: '/console/operators/',
    screen: () => import('../journeys/operators/console/operators/operators.screen.tsx'),
    head: 'console_operators',
  },
  {
    path: '/console/today/',
    screen: () => import('../journeys/operators/console/today/today.screen.tsx'),
    head: 'console_today',
  },
  {
    path: '/console/service/',
    screen: () => import('../journeys/operators/console/service/service.screen.tsx'),
    head: 'console_service',
  },
  {
    path: '/console/invitation/',
    screen: () => import('../journeys/operators/console/invitation/invitation.screen.tsx'),
    head: 'console_invitation',
    middleware: [],
  },
];

export const consolePages: readonly Route[] = listed.map((page) =>
  named({ middleware: ['account'], operators: true, ...page }),
);
