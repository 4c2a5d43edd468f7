import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { over } from '../../../../gallery/examples/account.ts';
import { inConsole, operatorAs } from '../../../../gallery/examples/operators.ts';
import { allConcerns } from '../../../../gallery/examples/operator-codes.ts';
import { answers } from '../../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../../gallery/state.tsx';
import { readToday } from '../../service.contract.ts';

const examined_at = '2026-01-01T12:00:00Z';
const items: ResponseBody<typeof readToday>['items'] = [
  {
    code: 'outbox',
    state: 'failed',
    params: { words: '2 emails given up in the last day; see the list.' },
    see: '/operators/emails',
    text: 'outbox: 2 emails given up in the last day; see the list.',
  },
  {
    code: 'node_missing',
    state: 'warning',
    params: { node: 'node-2', since: '2026-01-01T11:00:00Z' },
    see: null,
    text: 'The node node-2 has not been seen since 2026-01-01T11:00:00Z, and did not say that it stops: look at its log.',
  },
];
const read = answers(readToday, { examined_at, items });

export const states: readonly States[] = [
  {
    of: 'Console today',
    page: 'console-today',
    states: {
      'something is wrong': {
        ...inConsole,
        replies: [...inConsole.replies, read],
        shows: ['console_today.page', 'dashboard.attention', 'console_today.examined', 'account.emails'],
      },
      'everything that may be wrong': {
        ...inConsole,
        replies: [...inConsole.replies, answers(readToday, { examined_at, items: allConcerns })],
        shows: [],
      },
      'to a viewer': {
        ...inConsole,
        replies: [...operatorAs('viewer'), read],
        shows: ['dashboard.attention'],
      },
      fine: {
        ...inConsole,
        replies: [...inConsole.replies, answers(readToday, { examined_at, items: [] })],
        shows: ['console_today.fine'],
      },
      ...refusalsOf(readToday, {
        from: { ...inConsole, replies: [...over, ...inConsole.replies] },
        words: { role_insufficient: 'console.not_allowed', not_signed_in: 'failure.session_ended' },
        details: { step_up_required: { ways: ['authenticator'] } },
      }),
    },
  },
];
