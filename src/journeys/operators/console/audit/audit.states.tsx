import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { press } from '../../../../gallery/acts.ts';
import { over } from '../../../../gallery/examples/account.ts';
import { inConsole } from '../../../../gallery/examples/operators.ts';
import { answers } from '../../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../../gallery/state.tsx';
import { checkAudit, readNewestAudit } from '../../audit.contract.ts';

const at = '2026-01-01T12:00:00Z';
const common = { at, origin: '192.0.2.7', position: 1, hash: 'a', job_id: null } as const;
const items: ResponseBody<typeof readNewestAudit>['items'] = [
  {
    ...{
      ...common,
      id: '1',
      actor_kind: 'operator' as const,
      actor: 'o1',
      actor_name: 'Olga Petrova',
      action: 'account_locked',
    },
    ...{ account_id: 'b', subject: 'a***@example.com', reason: 'stolen laptop' },
  },
  {
    ...{ ...common, id: '2', actor_kind: 'command' as const, actor: 'root', actor_name: null, action: 'keys_rotated' },
    ...{ account_id: null, subject: 'anna'.repeat(40), reason: null },
  },
];
items.push({
  ...{ ...common, id: '3', actor_kind: 'key' as const, actor: 'k1', actor_name: 'Help desk', action: 'job_begun' },
  ...{ account_id: null, job_id: 'j', subject: 'lock: 12 accounts (j)', reason: null },
});
const replies = [...inConsole.replies, answers(readNewestAudit, { items, next: '2' })];
const read = { ...inConsole, replies } satisfies Partial<State>;
const check = [press('console_audit.check')];

export const states: readonly States[] = [
  {
    of: 'Console audit log',
    page: 'console-audit',
    states: {
      read: {
        ...read,
        shows: ['console_audit.page', 'console_audit.check', 'console_audit.command', 'records.jsonl', 'account.older'],
      },
      filtered: {
        ...read,
        search: '?kind=changes&by=operator',
        shows: ['console_audit.views', 'console_timeline.changes', 'console_service.settings'],
      },
      empty: {
        ...inConsole,
        replies: [...inConsole.replies, answers(readNewestAudit, { items: [], next: null })],
        shows: ['console_timeline.none'],
      },
      intact: {
        ...read,
        replies: [...replies, answers(checkAudit, { entries: 2, faults: [] })],
        acts: check,
        shows: ['console_audit.intact'],
      },
      broken: {
        ...read,
        replies: [...replies, answers(checkAudit, { entries: 2, faults: ['entry 2 (2) was changed'] })],
        acts: check,
        shows: ['console_audit.broken'],
      },
      ...refusalsOf(readNewestAudit, {
        from: { ...inConsole, replies: [...over, ...inConsole.replies] },
        words: { role_insufficient: 'console.not_allowed', not_signed_in: 'failure.session_ended' },
        details: { step_up_required: { ways: ['authenticator'] } },
      }),
    },
  },
];
