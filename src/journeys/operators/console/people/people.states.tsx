import { openSideMenu, press, submitDialog, type } from '../../../../gallery/acts.ts';
import { over, signedIn } from '../../../../gallery/examples/account.ts';
import { foundPeople, inConsole, longNamed, operatorAs } from '../../../../gallery/examples/operators.ts';
import { answers, type Reply, refuses } from '../../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../../gallery/state.tsx';
import { createPerson, findPeople } from '../../people.contract.ts';
import { stateNames } from './people.screen.tsx';
import { keepRecent } from './recent.part.ts';

const replies = [...inConsole.replies, foundPeople(undefined, 'next')];
const read = { ...inConsole, replies } satisfies Partial<State>;

const selectAll = () => document.querySelector<HTMLElement>('[name="all"]')?.click();

const adding = (...given: readonly Reply[]) => ({
  ...read,
  replies: [...given, ...replies],
  acts: [press('console_people.add'), type({ email: 'ola@example.com', name: 'Ola Nowak' }), submitDialog],
});

export const states: readonly States[] = [
  {
    of: 'Console people',
    page: 'console-people',
    states: {
      newest: {
        ...read,
        shows: [
          'console_people.page',
          'console_people.hint',
          ...Object.values(stateNames),
          'dashboard.filter_all',
          'account.older',
        ],
      },
      menu: { ...read, acts: [openSideMenu], shows: ['console.name', 'console.role_owner'] },
      recent: {
        ...read,
        before: () => {
          signedIn.before();
          keepRecent({ id: 'c', name: '李 明' });
          keepRecent({ id: 'b', name: 'Anna Berg' });
        },
        shows: ['console_people.recent'],
      },
      'support, found': {
        ...read,
        replies: [...operatorAs('support'), foundPeople()],
        acts: [type({ q: '4417' }), openSideMenu],
        shows: ['console.role_support'],
      },
      'add a person': {
        ...read,
        acts: [press('console_people.add')],
        shows: ['console_people.add_does', 'console_people.invite', 'console_act.name', 'account.language'],
      },
      added: { ...adding(answers(createPerson, { id: 'b' })), shows: ['console_act.link_sent', 'console_act.close'] },
      'added before': { ...adding(refuses(createPerson, 'account_exists')), shows: ['failure.account_exists'] },
      selecting: {
        ...read,
        acts: [selectAll],
        replies: [...inConsole.replies, foundPeople()],
        shows: ['console_bulk.all', 'console_bulk.selected', 'console_bulk.act', 'console_bulk.clear'],
      },
      'the most that can be selected': {
        ...inConsole,
        acts: [selectAll],
        replies: [
          ...inConsole.replies,
          foundPeople(Array.from({ length: 1000 }, (_, at) => ({ ...longNamed, id: `${at}` }))),
        ],
        shows: ['console_bulk.most'],
      },
      'help several': {
        ...inConsole,
        acts: [selectAll, press('console_bulk.act')],
        replies: [...inConsole.replies, foundPeople()],
        shows: ['console_bulk.act_does', 'console_bulk.what', 'console_people.locked'],
      },
      'help several, without an act': {
        ...inConsole,
        acts: [selectAll, press('console_bulk.act'), submitDialog],
        replies: [...inConsole.replies, foundPeople()],
        shows: ['invalid.required'],
      },
      'menu of a viewer': {
        ...inConsole,
        replies: operatorAs('viewer'),
        acts: [openSideMenu],
        shows: ['console.role_viewer'],
      },
      'long names': { ...inConsole, replies: [...inConsole.replies, foundPeople([longNamed])], shows: [] },
      'nobody found': {
        ...read,
        replies: [...operatorAs('viewer'), foundPeople([])],
        search: '?q=nobody',
        shows: ['console_people.none'],
      },
      'not allowed': {
        ...inConsole,
        replies: [...inConsole.replies, refuses(findPeople, 'role_insufficient')],
        shows: ['console.not_allowed', 'form.retry'],
      },

      ...refusalsOf(findPeople, {
        from: { ...inConsole, replies: [...over, ...inConsole.replies] },
        words: { role_insufficient: 'console.not_allowed', not_signed_in: 'failure.session_ended' },
        details: { step_up_required: { ways: ['authenticator'] } },
      }),
    },
  },
];
