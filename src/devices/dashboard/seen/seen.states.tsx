import { computer, record } from '../../../gallery/examples/devices.ts';
import { inConsole, longPerson, personRead, quietPerson } from '../../../gallery/examples/operators.ts';
import { answers, refuses } from '../../../gallery/replies.ts';
import type { State, States } from '../../../gallery/state.tsx';
import { readPerson } from '../../../journeys/operators/people.contract.ts';
import { seeDevices } from '../../contract/seen-devices.ts';

const params = { id: 'b' };
const computers = [
  computer('Front desk', { tags: ['Munich'] }),
  computer('Warehouse', { silent_for: 7_200_000, warnings: ['disk_low'], signs: '1'.repeat(80) + '0'.repeat(16) }),
];
const records = [record(0, 'start'), record(1, 'network_lost')];
const seeing = (...replies: State['replies'] & object) => ({
  ...inConsole,
  params,
  replies: [...inConsole.replies, ...replies],
});

export const states: readonly States[] = [
  {
    of: 'Console seen',
    page: 'console-seen',
    states: {
      reading: { ...inConsole, params, shows: ['console_seen.page', 'console_seen.lead'] },
      read: {
        ...seeing(answers(seeDevices, { computers, records }), ...personRead()),
        shows: [
          'devices.page',
          'dashboard.records',
          'account.confirmed',
          'connected_apps.title',
          'account.unreachable',
        ],
      },
      'long names': {
        ...seeing(
          answers(seeDevices, { computers: [computer('Front desk '.repeat(20))], records: [] }),
          ...personRead(longPerson),
        ),
        shows: ['dashboard.records_none'],
      },
      nothing: {
        ...seeing(answers(seeDevices, { computers: [], records: [] }), ...personRead(quietPerson)),
        shows: ['dashboard.empty_title', 'account.unconfirmed', 'security.off', 'going_on.cannot_sign_in'],
      },
      leaving: {
        ...seeing(
          answers(seeDevices, { computers: [], records: [] }),
          ...personRead({ ...quietPerson, locked_at: null }),
        ),
        shows: ['going_on.deletion_planned'],
      },
      unconfirmed: {
        ...seeing(
          answers(seeDevices, { computers: [], records: [] }),
          ...personRead({ ...quietPerson, locked_at: null, delete_at: null }),
        ),
        shows: ['account.unconfirmed_text'],
      },
      gone: {
        ...seeing(refuses(seeDevices, 'not_found'), refuses(readPerson, 'not_found')),
        shows: ['console_person.gone'],
      },
      'not allowed': { ...seeing(refuses(seeDevices, 'role_insufficient')), shows: ['console.not_allowed'] },
    },
  },
];
