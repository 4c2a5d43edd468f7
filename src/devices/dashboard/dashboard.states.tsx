import { overdueAfter } from '../../browser/requests/request-status.ts';
import { readAccount } from '../../contract/account.ts';
import { logout } from '../../contract/sign-in/admission.ts';
import { type Act, openSideMenu, press, wait, waitFor } from '../../gallery/acts.ts';
import { account, accountOf, over, refusedTwice, signedIn } from '../../gallery/examples/account.ts';
import {
  type computer,
  devicesReply,
  notification,
  office,
  type record,
  recordOfEachKind,
  troubled,
} from '../../gallery/examples/devices.ts';
import { answers, type Reply } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import * as contract from '../contract/computers.ts';

export const notices = (...list: ReturnType<typeof notification>[]) =>
  answers(contract.listNotifications, { notifications: list, unread: list.filter(({ read }) => !read).length });
export const page = (records: ReturnType<typeof record>[], next: string | null = null) =>
  answers(contract.listRecords, { records, next });
const everyKind = page(recordOfEachKind);

/** Shows the filters of a list where they are behind a button. */
export const openFilters: Act = async () => {
  const opener = await waitFor('button of the filters', () =>
    document.querySelector<HTMLElement>('search > [aria-expanded="false"]'),
  );
  opener.click();
};

export const having = (computers: readonly ReturnType<typeof computer>[], ...more: Reply[]) => ({
  ...signedIn,
  replies: [...more, account, devicesReply(computers), notices(notification(1, true)), everyKind],
});
const none = having([]);
export const some = having(office);
const called = (name: string): State => ({
  ...signedIn,
  replies: [accountOf({ name }), ...none.replies],
  shows: ['dashboard.hello'],
});
export const states: readonly States[] = [
  {
    of: 'Dashboard',
    page: 'dashboard',
    states: {
      empty: { ...none, shows: ['dashboard.hello', 'dashboard.empty_title'] },
      'its owner’s mail comes back': {
        ...none,
        replies: [accountOf({ email_unreachable: true }), ...none.replies],
        shows: ['account.unreachable'],
      },
      'devices being read': { ...signedIn, replies: [account], shows: ['frame.loading'] },
      'devices in one line': {
        ...having(troubled),
        shows: [
          'dashboard.count_devices',
          'dashboard.count_active',
          'dashboard.count_warned',
          'dashboard.count_silent',
        ],
      },
      ...named(
        'devices',
        refusalsOf(contract.listComputers, {
          from: { ...signedIn, replies: [account, ...over] },
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
      'refused after a refresh': refusedTwice(readAccount),
      'could not sign out': {
        ...refusalsOf(logout, { from: { ...none, acts: [openSideMenu, press('account_frame.sign_out')] } })[
          'no response'
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
