import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { jobStops } from '../../../../contract/operators.ts';
import { press } from '../../../../gallery/acts.ts';
import { inConsole } from '../../../../gallery/examples/operators.ts';
import { answers, refuses } from '../../../../gallery/replies.ts';
import type { State, States } from '../../../../gallery/state.tsx';
import { listJobPeople, readJob } from '../../jobs.contract.ts';

const at = '2026-01-01T12:00:00Z';
const params = { id: 'j' };
type Job = ResponseBody<typeof readJob>;
const job: Job = {
  ...{ id: 'j', act: 'delete', created_at: at, total: 40, done: 40, failures: [], finished_at: at, stopped: null },
  ...{ actor_kind: 'operator', actor: 'o', actor_name: 'Olga Klein', reason: 'left the company '.repeat(9) },
};
const people = answers(listJobPeople, {
  items: [
    { id: 'b', name: 'Anna '.repeat(30), state: 'failed' },
    { id: 'c', name: null, state: 'failed' },
    { id: 'f', name: 'Bob Gray', state: 'done' },
    { id: 'g', name: 'ليلى حداد', state: 'waiting' },
  ],
  next: '50',
});
const left = answers(listJobPeople, { items: [{ id: 'g', name: 'ليلى حداد', state: 'stopped' }], next: null });
const failed: Job = {
  ...job,
  failures: [
    { id: 'b', name: 'Anna '.repeat(30), code: 'last_owner' },
    { id: 'c', name: null, code: 'not_found' },
    { id: 'd', name: 'Ola Nowak', code: 'role_insufficient' },
    { id: 'e', name: 'ليلى حداد', code: 'server_error' },
    { id: 'f', name: 'Jan Novák', code: 'too_many_mails' },
  ],
};
const showing = (shown: Job) => ({
  ...inConsole,
  params,
  replies: [...inConsole.replies, answers(readJob, shown), people],
});

export const states: readonly States[] = [
  {
    of: 'Console job',
    page: 'console-job',
    states: {
      reading: { ...inConsole, params, shows: ['console_job.page', 'console_service.jobs'] },
      running: {
        ...showing({ ...job, done: 12, finished_at: null }),
        shows: [
          'console_job.progress',
          'account.delete',
          'console_timeline.waits',
          'console_timeline.failed',
          'console_people.page',
          'console_job.more',
        ],
      },
      ...Object.fromEntries(
        jobStops.map((stopped) => [
          `stopped by a loss of the ${stopped}`,
          {
            ...inConsole,
            params,
            replies: [...inConsole.replies, answers(readJob, { ...job, done: 3, stopped }), left],
            shows: [`console_job.stopped_${stopped}`, 'console_job.stopped'],
          } satisfies State,
        ]),
      ),
      finished: { ...showing(job), shows: ['console_act.done'] },
      failed: {
        ...showing(failed),
        shows: [
          'console_job.failures',
          'console_service.failed',
          'console.last_owner',
          'console_job.too_many_mails',
          'console_person.gone',
          'failure.server_error',
          'form.retry',
        ],
      },
      again: {
        ...showing(failed),
        acts: [press('form.retry')],
        shows: ['console_act.delete_does', 'console_bulk.selected'],
      },
      gone: {
        ...inConsole,
        params,
        replies: [...inConsole.replies, refuses(readJob, 'not_found')],
        shows: ['console_timeline.none'],
      },
    },
  },
];
