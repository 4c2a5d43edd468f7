import { type Act, openSideMenu, waitFor } from '../gallery/acts.ts';
import { account, signedIn } from '../gallery/examples/account.ts';
import type { States } from '../gallery/state.tsx';

const at = (path: string) => () => history.replaceState(null, '', path + location.search);

/** The menu is loaded for signed-in users only. */
const openMenuOnceThere: Act = async (words) => {
  await waitFor('menu', () => document.getElementById('side-menu') ?? undefined);
  await openSideMenu(words);
};

export const states: readonly States[] = [
  {
    of: 'Not found',
    page: 'not-found',
    states: {
      'a short path': { before: at('/nothing/here/'), shows: ['not_found.path'] },
      'a long path': { before: at(`/${'nothing-here'.repeat(20)}/`), shows: ['not_found.path'] },
      'signed in': {
        ...signedIn,
        replies: [account],
        acts: [openMenuOnceThere],
        shows: ['not_found.path', 'dashboard.page', 'account_frame.sign_out'],
      },
    },
  },
  {
    of: 'Error',
    page: 'error',
    states: {
      'nothing to name': { shows: ['error_page.lead'] },
      'with a reference': {
        before: () =>
          document.head.append(
            Object.assign(document.createElement('meta'), { name: 'reference', content: '0F9A3C61B2' }),
          ),
        shows: ['error_page.reference'],
      },
    },
  },
];
