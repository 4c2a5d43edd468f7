import { answers } from '../../gallery/replies.ts';
import { refusalsOf, type States } from '../../gallery/state.tsx';
import { readApp } from '../openid/connect/connect.contract.ts';

const search = '?client=wiki';

export const states: readonly States[] = [
  {
    of: 'No access',
    page: 'no-access',
    states: {
      'as it opens': { search, shows: ['no_access.page'] },
      named: {
        search,
        replies: [answers(readApp, { app: 'Wiki' })],
        shows: ['connect.refused_text', 'not_found.home'],
      },
      ...refusalsOf(readApp, { from: { search }, details: { validation_failed: { fields: [] } } }),
    },
  },
];
