import { logout } from '../../../contract/sign-in/admission.ts';
import { press } from '../../../gallery/acts.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../gallery/state.tsx';
import { readApp, signOutForApp } from '../connect/connect.contract.ts';

const pressed = { acts: [press('sign_out.page')] };

export const states: readonly States[] = [
  {
    of: 'Sign out',
    page: 'sign-out',
    states: {
      asking: { shows: ['sign_out.page', 'sign_out.text', 'sign_out.stay'] },
      'asking for an app': {
        search: '?client_id=notes',
        replies: [answers(readApp, { app: 'Notes' })],
        shows: ['sign_out.text_app'],
      },
      waiting: { ...pressed, shows: ['form.wait'] },
      ...refusalsOf(logout, { from: pressed }),
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(signOutForApp, {
            from: { ...pressed, replies: [answers(logout, undefined)] },
            details: { validation_failed: { fields: [] } },
          }),
        ).map(([name, state]) => [`returning, ${name}`, state]),
      ),
      done: { search: '?done=1', shows: ['sign_out.done'] },
    },
  },
];
