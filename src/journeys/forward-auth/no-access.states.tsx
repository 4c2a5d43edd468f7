import type { States } from '../../gallery/state.ts';

export const states: readonly States[] = [
  { of: 'No access', page: 'no-access', states: { 'as it opens': { shows: ['no_access.lead'] } } },
];
