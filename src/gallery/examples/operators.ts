import type { ResponseBody } from '../../contract/endpoint.ts';
import type { OperatorRole } from '../../contract/operator-roles.ts';
import { readOperator } from '../../journeys/operators/operators.contract.ts';
import { findPeople } from '../../journeys/operators/people.contract.ts';
import { answers } from '../replies.ts';
import { account, signedIn } from './account.ts';

const at = '2026-01-01T12:00:00Z';

/** For states of the console: an operator with a role. */
export const operatorAs = (role: OperatorRole) => [account, answers(readOperator, { kind: 'operator', id: 'a', role })];

export const inConsole = { ...signedIn, replies: operatorAs('owner') };

type Found = ResponseBody<typeof findPeople>['items'][number];

const person = (changes: Partial<Found>): Found => ({
  id: 'b',
  email: 'anna.berg@example.com',
  name: 'Anna Berg',
  phone: '+4915112344417',
  locale: 'de',
  created_at: at,
  email_proven_at: at,
  phone_confirmed_at: at,
  second_step_at: at,
  locked_at: null,
  delete_at: null,
  ...changes,
});

export const peopleFound: readonly Found[] = [
  person({ locked_at: at }),
  person({ id: 'c', email: 'li.ming@example.cn', name: '李 明', phone: '+8613800004417' }),
  person({ id: 'd', email: 'layla@example.com', name: 'ليلى حداد', phone: '', delete_at: at }),
  person({ id: 'e', email: `${'anna'.repeat(40)}@example.com`, name: 'Anna '.repeat(30), phone: '+4…17' }),
];

/** The reply with these people. */
export const foundPeople = (items: readonly Found[] = peopleFound, next: string | null = null) =>
  answers(findPeople, { items: [...items], next });
