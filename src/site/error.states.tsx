import type { States } from '../gallery/state.tsx';

export const states: readonly States[] = [
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
