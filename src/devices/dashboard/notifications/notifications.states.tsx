import { press } from '../../../gallery/acts.ts';
import { accountOf } from '../../../gallery/examples/account.ts';
import { notification, office } from '../../../gallery/examples/devices.ts';
import { breaks, loses } from '../../../gallery/replies.ts';
import type { States } from '../../../gallery/state.tsx';
import * as contract from '../../contract/computers.ts';
import { warnings } from '../../contract/record-kinds.ts';
import { having, notices } from '../dashboard.states.tsx';
import { notificationWords } from './notifications.part.tsx';

const ended = { began_at: '2026-11-21T11:00:00Z', ended_at: '2026-11-21T11:12:00Z' };

export const states: readonly States[] = [
  {
    of: 'Notifications',
    page: 'notifications',
    states: {
      'all read': { ...having(office), shows: ['notifications.page', 'dashboard.notice_added'] },
      unread: {
        ...having(
          office,
          accountOf({ unread_notifications: 1 }),
          notices(notification(1, false, 'computer_removed'), notification(2, true)),
        ),
        shows: ['dashboard.notice_removed', 'dashboard.unread', 'dashboard.unread_one'],
      },
      none: { ...having(office, notices()), shows: ['dashboard.notifications_none'] },
      many: {
        ...having(office, notices(...Array.from({ length: 32 }, (_, at) => notification(at, at > 6)))),
        shows: ['dashboard.mark_read', 'dashboard.mark_one_read', 'dashboard.older'],
      },
      alarms: {
        ...having(
          office,
          accountOf({ unread_notifications: 120 }),
          notices(
            { ...notification(1, false, 'computer_silent'), ...ended },
            ...warnings.map((kind, at) => notification(2 + at, at > 0, kind)),
            notification(9, true, 'alarm_test'),
          ),
        ),
        shows: [
          'dashboard.recovered',
          ...(['computer_silent', ...warnings, 'alarm_test'] as const).map((kind) => notificationWords[kind]),
        ],
      },
      'not marked as read': {
        ...having(office, notices(notification(1, false)), loses(contract.readAllNotifications)),
        acts: [press('dashboard.mark_read')],
        shows: ['failure.no_answer'],
      },
      'one not marked as read': {
        ...having(office, notices(notification(1, false), notification(2, true)), loses(contract.readNotification)),
        acts: [press('dashboard.mark_one_read')],
        shows: ['failure.no_answer'],
      },
      'not had': { ...having(office, breaks(contract.listNotifications, 502)), shows: ['failure.unknown'] },
      'being read': { ...having([]), replies: [], shows: ['frame.loading'] },
    },
  },
];
