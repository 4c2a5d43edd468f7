import { type StatisticsSeries, statisticsSeries } from '../../../../contract/console.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { press } from '../../../../gallery/acts.ts';
import { over } from '../../../../gallery/examples/account.ts';
import { allConcerns } from '../../../../gallery/examples/operator-codes.ts';
import { inConsole, operatorAs } from '../../../../gallery/examples/operators.ts';
import { answers, type Reply, refuses } from '../../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../../gallery/state.tsx';
import { readStatistics, readToday } from '../../service.contract.ts';
import { startsOf } from './statistics.part.tsx';

const examined_at = '2026-01-01T12:00:00Z';
const examined_node = 'node-1';
const items: ResponseBody<typeof readToday>['items'] = [
  {
    code: 'outbox_given_up',
    state: 'failed',
    params: { count: 2, words: '550 5.1.1 <…>: no such mailbox' },
    see: '/operators/emails',
    text: 'outbox: empty; 2 given up in the past day: 550 5.1.1 <…>: no such mailbox',
  },
  {
    code: 'node_missing',
    state: 'warning',
    params: { node: 'node-2', since: '2026-01-01T11:00:00Z' },
    see: null,
    text: 'The node node-2 has not been seen since 2026-01-01T11:00:00Z, and did not say that it stops: look at its log.',
  },
];
const read = answers(readToday, { examined_at, examined_node, examining: false, items });

/** Counts that differ from hour to hour, the same at each look. */
const wave = (most: number, at: number): number => Math.round((most * (2 + Math.sin(at / 3))) / 3);

const valuesAt = (at: number) =>
  ({
    sign_ins: {
      pwd: wave(300, at),
      mca: wave(90, at),
      'swk user mfa': wave(160, at),
      'pwd otp mfa': wave(60, at),
      'refused incorrect_login_or_password': wave(20, at),
      'refused too_many_attempts': at === 9 ? 96 : 0,
    },
    refused_from: { '203.0.113.0/24': at === 9 ? 90 : 0 },
    registrations: { asked: 50, called: 46, confirmed: 33, used: 31, registered: wave(32, at), proven: 20 },
    calls: {
      asked: wave(60, at),
      'placed ucaller DE': wave(40, at),
      'confirmed ucaller DE': wave(35, at),
      'placed smsc TR': wave(12, at),
      'confirmed smsc TR': wave(7, at),
    },
    emails: { sent: wave(120, at), failed: at % 9 === 0 ? 1 : 0, returned: at % 5 === 0 ? 2 : 0 },
    response_times: { requests: 900, p50: 10, p99: at === 9 ? 250 : 50 },
    devices: { online: 8400 + at, alarms: at % 4 },
  }) satisfies Record<StatisticsSeries, Record<string, number>>;

/** The last 30 days, and the hours of the last one. */
const counted: Reply = {
  ...answers(readStatistics, { items: [] }),
  respond() {
    const periods = [
      ...startsOf('month', Date.now()).map((start) => new Date(start).toISOString().slice(0, 10)),
      ...startsOf('day', Date.now()).map((start) => new Date(start).toISOString()),
    ];
    const counts = periods.flatMap((at, place) =>
      statisticsSeries.map((series) => ({ series, at, values: valuesAt(place)[series] })),
    );
    return answers(readStatistics, { items: counts }).respond();
  },
};
const nothing = answers(readStatistics, { items: [] });

export const states: readonly States[] = [
  {
    of: 'Console today',
    page: 'console-today',
    states: {
      'something is wrong': {
        ...inConsole,
        replies: [...inConsole.replies, read, counted],
        shows: [
          'console_today.page',
          'console_today.attention',
          'console_today.examined',
          'console_today.examined_node',
          'account.emails',
        ],
      },
      'everything that may be wrong': {
        ...inConsole,
        replies: [
          ...inConsole.replies,
          answers(readToday, { examined_at, examined_node, examining: false, items: allConcerns }),
        ],
        shows: [],
      },
      'to a viewer': {
        ...inConsole,
        replies: [...operatorAs('viewer'), read, counted],
        shows: ['console_today.attention', 'console_today.registrations', 'console_today.response_time'],
      },
      fine: {
        ...inConsole,
        replies: [
          ...inConsole.replies,
          answers(readToday, { examined_at, examined_node, examining: false, items: [] }),
          nothing,
        ],
        shows: ['console_today.fine'],
      },
      'a month': {
        ...inConsole,
        replies: [
          ...inConsole.replies,
          answers(readToday, { examined_at, examined_node, examining: false, items: [] }),
          counted,
        ],
        acts: [press('devices.month')],
        shows: ['console_today.week', 'console_today.step_proven', 'console_today.most_stop', 'console_today.slowest'],
      },
      'checking again': {
        ...inConsole,
        replies: [
          ...inConsole.replies,
          answers(readToday, { examined_at, examined_node, examining: true, items }),
          nothing,
        ],
        shows: ['console_today.check', 'console_today.checking'],
      },
      'before the first check': {
        ...inConsole,
        replies: [
          ...inConsole.replies,
          answers(readToday, { examined_at: null, examined_node, examining: true, items: [] }),
          nothing,
        ],
        shows: ['console_today.checking'],
      },
      'not counted': {
        ...inConsole,
        replies: [...inConsole.replies, read, refuses(readStatistics, 'try_again_later')],
        shows: ['failure.try_again_later'],
      },
      ...refusalsOf(readToday, {
        from: { ...inConsole, replies: [...over, ...inConsole.replies] },
        words: { role_insufficient: 'console.not_allowed', not_signed_in: 'failure.session_ended' },
        details: { step_up_required: { ways: ['authenticator'] } },
      }),
    },
  },
];
