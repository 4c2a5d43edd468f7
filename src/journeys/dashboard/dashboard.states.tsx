import { overdueAfter } from '../../browser/requests/overdue.ts';
import { readAccount } from '../../contract/account.ts';
import * as contract from '../../contract/computers.ts';
import { hours, minutes } from '../../contract/durations.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { recordKinds } from '../../contract/record-kinds.ts';
import { logout } from '../../contract/session.ts';
import { type Act, openSideMenu, press, wait, waitFor } from '../../gallery/acts.ts';
import { anna, over, signedIn } from '../../gallery/anna.ts';
import { answers, breaks, type Reply } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.ts';

type Computer = ResponseBody<typeof contract.listComputers>['computers'][number];
type Records = ResponseBody<typeof contract.listRecords>;

export const computer = (name: string, known: Partial<Computer> = {}): Computer => ({
  id: name,
  name,
  tags: [],
  platform: 'linux',
  version: '1.0.0',
  created_at: '2026-11-01T08:00:00Z',
  last_seen_at: '2026-11-21T12:00:00Z',
  silent_for: 0,
  signs: '1'.repeat(96),
  warnings: [],
  newest: null,
  ...known,
});
export const record = (place: number, kind: string, text = 'As the device wrote it.'): Records['records'][number] => ({
  id: String(1000 - place).padStart(6, '0'),
  computer: place % 2 === 0 ? 'Front desk' : 'Notebook',
  at: new Date(Date.UTC(2026, 10, 21, 12, -place)).toISOString(),
  kind,
  text,
});
export const office = [
  computer('Front desk', { newest: record(0, 'start') }),
  computer('Notebook', {
    platform: 'windows',
    silent_for: minutes(12),
    signs: '0'.repeat(30) + '1'.repeat(40) + '0'.repeat(20) + '1'.repeat(6),
    newest: record(1, 'network_back'),
  }),
];
export const troubled = [
  ...office,
  computer('Printer', { silent_for: minutes(2), newest: { ...record(0, 'stop'), at: '2026-11-21T12:00:00Z' } }),
  computer('Server', { silent_for: hours(5), signs: '1'.repeat(76) + '0'.repeat(20), warnings: ['disk_low'] }),
  computer('هاتف ليلى', { platform: 'android', warnings: ['battery_low'], newest: record(2, 'door', 'Opened.') }),
];
export const notice = (
  place: number,
  read: boolean,
  kind: ResponseBody<typeof contract.listNotifications>['notifications'][number]['kind'] = 'computer_added',
) => ({
  id: String(place),
  at: new Date(Date.UTC(2026, 10, 21, 12, -place)).toISOString(),
  kind,
  name: 'Front desk',
  read,
});
export const notices = (...list: ReturnType<typeof notice>[]) =>
  answers(contract.listNotifications, { notifications: list, unread: list.filter(({ read }) => !read).length });
export const page = (records: Records['records'], next: string | null = null) =>
  answers(contract.listRecords, { records, next });
const everyKind = page([...recordKinds, 'door'].map((kind, place) => record(place, kind)));

/** Shows the filters of a list where they are behind a button. */
export const openFilters: Act = async () => {
  const opener = await waitFor('button of the filters', () =>
    document.querySelector<HTMLElement>('search > [aria-expanded="false"]'),
  );
  opener.click();
};

/** The gallery has no event stream, so the page polls. */
const stream = breaks(contract.computerEvents, 503);
const others = [answers(readAccount, anna), stream];
export const having = (computers: readonly Computer[], ...more: Reply[]) => ({
  ...signedIn,
  replies: [
    ...more,
    ...others,
    answers(contract.listComputers, { computers: [...computers] }),
    notices(notice(1, true)),
    everyKind,
  ],
});
const none = having([]);
export const some = having(office);
const called = (name: string): State => ({
  ...signedIn,
  replies: [answers(readAccount, { ...anna, name }), ...none.replies],
  shows: ['dashboard.hello'],
});
export const states: readonly States[] = [
  {
    of: 'Dashboard',
    page: 'dashboard',
    states: {
      empty: { ...none, shows: ['dashboard.hello', 'dashboard.empty_title'] },
      'empty, removed': {
        ...having([], notices(notice(1, false, 'computer_removed'), notice(2, true))),
        shows: ['dashboard.empty_title', 'dashboard.notice_removed', 'dashboard.unread', 'dashboard.unread_one'],
      },
      'its owner’s mail comes back': {
        ...none,
        replies: [answers(readAccount, { ...anna, email_unreachable: true }), ...none.replies],
        shows: ['account.unreachable'],
      },
      'devices being read': { ...signedIn, replies: others, shows: ['frame.loading'] },
      'devices in one line': {
        ...having(troubled),
        shows: ['dashboard.count_devices', 'dashboard.count_active', 'dashboard.count_low', 'dashboard.count_silent'],
      },
      ...named(
        'devices',
        refusalsOf(contract.listComputers, {
          from: { ...signedIn, replies: [...others, ...over] },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
      'no name': { ...called(''), shows: ['dashboard.page', 'dashboard.empty_title'] },
      'long name': called('Anna-Katharina Wilhelmine '.repeat(6)),
      'name without a break': called('Anna'.repeat(40)),
      'Arabic name': called('ليلى بنت عبد الله'),
      'being read': { ...signedIn, shows: ['frame.loading'] },
      'still being read': { ...signedIn, acts: [wait(overdueAfter)], shows: ['frame.overdue'] },
      ...refusalsOf(readAccount, {
        from: { ...signedIn, replies: over },
        words: { not_signed_in: 'failure.session_ended' },
      }),
      'not signed in': { shows: ['failure.not_signed_in'] },
      'could not sign out': {
        ...refusalsOf(logout, { from: { ...none, acts: [openSideMenu, press('account_frame.sign_out')] } })[
          'no answer'
        ],
        shows: ['failure.no_answer'],
      },
    },
  },
];

/** Prefixes the names of states with their subject. */
export function named(what: string, refusals: Record<string, State>): Record<string, State> {
  return Object.fromEntries(Object.entries(refusals).map(([name, state]) => [`${what} ${name}`, state]));
}
