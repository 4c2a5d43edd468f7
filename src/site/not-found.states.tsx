import type { States } from '../gallery/state.tsx';

const at = (path: string) => () => history.replaceState(null, '', path + location.search);

export const states: readonly States[] = [
  {
    of: 'Not found',
    page: 'not-found',
    states: {
      'a short path': { before: at('/nothing/here/'), shows: ['not_found.path'] },
      'a long path': { before: at(`/${'nothing-here'.repeat(20)}/`), shows: ['not_found.path'] },
    },
  },
];
