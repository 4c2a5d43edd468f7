import { minutes, seconds } from '../../../contract/units.ts';
import { wait } from '../../../gallery/acts.ts';
import { over, signedIn } from '../../../gallery/examples/account.ts';
import { computer, devicesReply, troubled } from '../../../gallery/examples/devices.ts';
import { refusalsOf, type States } from '../../../gallery/state.tsx';
import { listComputers } from '../../contract/computers.ts';
import { having } from '../dashboard.states.tsx';
import { devicesOf, onceOnly } from '../devices/devices.states.tsx';

const sixty = devicesOf(62);

export const states: readonly States[] = [
  {
    of: 'Wall',
    page: 'wall',
    states: {
      'sixty devices': {
        ...having(sixty),
        shows: ['dashboard.count_active', 'dashboard.count_warned', 'dashboard.count_silent', 'dashboard.page'],
      },
      'a thousand devices': { ...having(devicesOf(1000)), shows: ['dashboard.count_active'] },
      'a few in each state': {
        ...having(troubled),
        shows: ['dashboard.count_off', 'dashboard.count_muted', 'dashboard.state_overdue', 'dashboard.state_copied'],
      },
      'one device with an alarm': {
        ...having([
          computer('Front desk', {
            silent_for: minutes(6),
            incidents: [{ id: 'i', kind: 'computer_silent', acknowledged_at: null }],
          }),
        ]),
        shows: ['dashboard.count_silent', 'dashboard.state_silent'],
      },
      none: { ...having([]), shows: ['dashboard.empty_title'] },
      'no longer up to date': {
        ...having(sixty, onceOnly(listComputers, devicesReply(sixty))),
        acts: [wait(seconds(6))],
        shows: ['dashboard.stale'],
      },
      'being read': { ...signedIn, shows: ['frame.loading'] },
      ...refusalsOf(listComputers, {
        from: { ...having([]), replies: [...having([]).replies.slice(0, 2), ...over] },
        words: { not_signed_in: 'failure.session_ended' },
      }),
    },
  },
];
