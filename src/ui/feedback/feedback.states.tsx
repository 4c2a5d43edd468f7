import { RequestFailure } from '../../browser/requests/request-status.ts';
import { type States, specimen } from '../../gallery/state.tsx';
import { FormSaved, Loading, Notice, RetryNotice } from './feedback.tsx';
import { FormProblems } from './form-problems.tsx';

const nothing = () => undefined;
const form = {
  summary: [],
  summaryRef: { current: null },
  moveFocus: () => false,
  failure: undefined,
  retry: nothing,
  request: { request: undefined, lastUpdate: undefined, state: 'idle', error: undefined },
} as const;

export const states: readonly States[] = [
  {
    of: 'Notices',
    page: 'register',
    states: {
      danger: specimen('Notice', <Notice kind="danger">It did not work.</Notice>),
      success: specimen('Notice', <Notice kind="success">It worked.</Notice>),
      info: specimen('Notice', <Notice kind="info">It may work.</Notice>),
      'several lines': specimen(
        'Notice',
        <Notice kind="info">
          <p>{'A sentence that goes on for a while. '.repeat(5)}</p>
          <p>{'anna'.repeat(40)}</p>
        </Notice>,
      ),
      'fields are wrong': specimen(
        'FormProblems',
        <FormProblems
          form={{
            ...form,
            summary: [
              { field: 'name', code: 'required', message: 'Field cannot be empty' },
              { field: 'email', code: 'email_invalid', message: 'Please enter a valid e-mail address.' },
            ],
          }}
          labels={{ name: 'label.name' }}
        />,
      ),
      'worth another try': specimen(
        'FormProblems',
        <FormProblems form={{ ...form, failure: new RequestFailure(undefined) }} />,
      ),
      'no other try': specimen(
        'FormProblems',
        <FormProblems form={{ ...form, failure: new RequestFailure(409, { code: 'account_exists' }) }} />,
      ),
      unanswered: specimen('RetryNotice', <RetryNotice message="frame.overdue" retry={nothing} />),
      'the next page is on its way': { ...specimen('Loading', <Loading />), slow: true, shows: ['frame.loading'] },
    },
  },
  {
    of: 'Notices of an account',
    page: 'account',
    states: {
      saved: specimen('FormSaved', <FormSaved form={{ saved: true }} />),
    },
  },
];
