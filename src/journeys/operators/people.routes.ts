import type { FastifyInstance } from 'fastify';
import { profileIn } from '../../contract/account.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type Refusing, refuse, refuseField, tooMuch } from '../../contract/failures.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import { isRoleEnough, seesContacts } from '../../contract/operators.ts';
import { days, iso } from '../../contract/units.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { countOf } from '../../http/rate-limits/rate-limiter.ts';
import type { OperatorPrincipal } from '../../http/session/operator-principal.ts';
import {
  endSessions,
  exportAccount,
  lockAccount,
  removePasskey,
  removeSecondStep,
  unlockAccount,
} from '../../operations/accounts.ts';
import { describeAccount } from '../../operations/describe-account.ts';
import { goingOn } from '../../operations/going-on.ts';
import { addAccountToGroup, removeAccountFromGroup } from '../../operations/groups.ts';
import { type AccountFilter, findListed, listAccounts } from '../../operations/list-accounts.ts';
import { masked } from '../../operations/operation.ts';
import {
  changeProfile,
  createPerson,
  findPerson,
  mayHaveAccount,
  planDeletion,
  recordSearch,
  recordView,
  requestAddressChange,
  resendEmails,
  sendReset,
  writeNote,
} from '../../operations/people.ts';
import { timeline } from '../../operations/timeline.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './people.contract.ts';

const filterOf = (state: contract.PeopleState, now: number): AccountFilter =>
  ({
    new: { since: now - days(7) },
    locked: { locked: true },
    leaving: { leaving: true },
    returned: { returned: true },
    operators: { operator: true },
    no_second_step: { secondStep: false },
  })[state];

/** `+4915123456789` → `+49…89`. */
const maskedPhone = (phone: string): string => (phone === '' ? '' : `${phone.slice(0, 3)}…${phone.slice(-2)}`);

const maskContacts = <P extends { email: string; phone: string }>({ role }: OperatorPrincipal, person: P): P =>
  seesContacts(role) ? person : { ...person, email: masked(person.email), phone: maskedPhone(person.phone) };

/** Masks the addresses and the number of a person also in sentences. */
function hidingFrom({ role }: OperatorPrincipal, { email, phone, email_change_to }: Contacts) {
  const secrets = seesContacts(role) ? [] : [email, email_change_to ?? '', phone].filter((text) => text !== '');
  const spelled = secrets.map((secret) => ({ anySpelling: anySpellingOf(secret), mask: maskedText(secret) }));
  return <T extends string | null>(text: T): T =>
    text && (spelled.reduce<string>((hidden, one) => hidden.replaceAll(one.anySpelling, () => one.mask), text) as T);
}

/** An address in any case; a number's last digits with anything between them, since others write it their way. */
function anySpellingOf(secret: string): RegExp {
  const exact = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lastDigits = [...secret].slice(-digitsHidden).join('[^A-Za-z\\d]{0,3}');
  return new RegExp(secret.includes('@') ? exact : `${exact}|${lastDigits}`, 'gi');
}

const digitsHidden = 8;

type Params = Record<string, string | number | string[]>;

const hideIn = (params: Params, hide: (text: string) => string): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value]),
  );

/** Values of a sentence as the response has them. */
const asParams = (params: object): Params => ({ ...params }) as Params;

interface Contacts {
  readonly email: string;
  readonly phone: string;
  readonly email_change_to?: string | null;
}

function maskPerson<P extends MaskedPerson>(operator: OperatorPrincipal, person: P): P {
  const hide = hidingFrom(operator, person);
  return {
    ...maskContacts(operator, person),
    email_change_to: hide(person.email_change_to),
    email_unreachable_words: hide(person.email_unreachable_words),
    going_on: person.going_on.map((one) => ({ ...one, text: hide(one.text), params: hideIn(one.params, hide) })),
    notes: person.notes.map((one) => ({ ...one, text: hide(one.text) })),
  };
}

interface MaskedPerson extends Contacts {
  readonly email_change_to: string | null;
  readonly email_unreachable_words: string | null;
  readonly going_on: { readonly text: string; readonly params: Params }[];
  readonly notes: { readonly text: string }[];
}

/** For the error of a cursor that is not of the list. */
const asWrongCursor =
  (endpoint: typeof contract.findPeople | typeof contract.readTimeline) =>
  (error: unknown): never => {
    throw error instanceof RangeError ? refuseField(endpoint, { field: 'cursor', code: 'not_understood' }) : error;
  };

const maskedText = (secret: string) => (secret.includes('@') ? masked(secret) : maskedPhone(secret));

/** Endpoints of the management API about people. */
export function peopleRoutes(app: FastifyInstance, service: Service): void {
  const { store, config, secrets, parts } = service;
  const mount = mountOperatorsOn(app, service);

  /** The account that a path names; refuses with `not_found`. */
  async function accountIn(endpoint: Endpoint & Refusing<'not_found'>, { id }: { readonly id: string }) {
    const account = await findPerson(service, id);
    if (!account) throw refuse(endpoint, 'not_found');
    return account;
  }

  mount(contract.findPeople, async ({ operator, operation, reply, query: { q, state, cursor, limit } }) => {
    const wholeContacts = !seesContacts(operator.role);
    const by = { by: operator.id, reply };
    if (q !== undefined) countOf(service.searchesOfOperator, contract.findPeople, by);
    const isGuess = wholeContacts && q !== undefined && /@.|\d{4}/.test(q.replaceAll(/[^\p{L}\d@]/gu, ''));
    if (isGuess) countOf(service.guessesOfViewer, contract.findPeople, by);
    const asked = { filter: state === undefined ? {} : filterOf(state, operation.now), cursor, limit };
    const page = await (q === undefined
      ? listAccounts(store, asked)
      : findListed(store, { text: q, wholeContacts, origin: new URL(config.PUBLIC_URL).origin, ...asked })
    ).catch(asWrongCursor(contract.findPeople));
    await recordSearch(operation, page.items);
    return { items: page.items.map((one) => maskContacts(operator, one)), next: page.next ?? null };
  });

  mount(contract.createPerson, async ({ operation, body: { reason: _, phone: typed, ...person } }) => {
    const phone = typed === undefined ? '' : readPhoneIn(typed, person.locale);
    if (phone === undefined) throw refuseField(contract.createPerson, { field: 'phone', code: 'phone_invalid' });
    if (!(await mayHaveAccount(service, person.email))) throw refuse(contract.createPerson, 'email_cannot_be_used');
    const profile = profileIn(person);
    const { email, name, locale, invite } = person;
    const id = await createPerson(operation, { email, name, locale, invite, ...profile, phone, config, secrets });
    if (id === undefined) throw refuse(contract.createPerson, 'account_exists');
    return { id };
  });

  mount(contract.readPerson, async ({ operator, operation, params }) => {
    const account = await accountIn(contract.readPerson, params);
    await recordView(operation, { account, action: 'account_viewed' });
    const asked = { store, config, account, now: operation.now };
    const described = await describeAccount({ store, parts, account, now: operation.now });
    const going = await goingOn(asked);
    const person = { ...described, going_on: going.map((one) => ({ ...one, params: asParams(one.params) })) };
    return maskPerson(operator, person);
  });

  mount(contract.readTimeline, async ({ operator, operation, params, query }) => {
    const account = await accountIn(contract.readTimeline, params);
    await recordView(operation, { account, action: 'account_viewed' });
    const page = await timeline({ store, parts, account, ...query }).catch(asWrongCursor(contract.readTimeline));
    const hide = hidingFrom(operator, account);
    return {
      ...page,
      items: page.items.map((one) => ({
        ...one,
        ...{ outcome: hide(one.outcome), params: hideIn(asParams(one.params), hide), reason: hide(one.reason) },
      })),
    };
  });

  mount(contract.writeNote, async ({ operation, params: { id }, body: { text } }) => {
    const note = await writeNote(operation, { id, text });
    if (note === undefined) throw refuse(contract.writeNote, 'not_found');
    return { id: note };
  });

  mount(contract.resendEmails, async ({ operation, params: { id } }) => {
    const resent = await resendEmails(operation, { id, service });
    if (!resent) throw refuse(contract.resendEmails, 'not_found');
    return { ...resent, retried: [...resent.retried] };
  });

  mount(contract.changeAddress, async ({ operation, params: { id }, body: { email } }) => {
    const endpoint = contract.changeAddress;
    if (!(await mayHaveAccount(service, email))) throw refuse(endpoint, 'email_cannot_be_used');
    const asked = await requestAddressChange(operation, { id, email, service });
    if (!asked) throw refuse(endpoint, 'not_found');
    if (asked.refusal === 'account_exists') throw refuse(endpoint, asked.refusal);
    if (asked.refusal) throw refuseField(endpoint, { field: 'email', code: asked.refusal });
    if (asked.nextAt > 0) throw tooMuch(endpoint, 'too_many_mails', asked.nextAt - operation.now);
  });

  mount(contract.changePerson, async ({ operation, params: { id }, body: { reason: _, ...changes } }) => {
    if (!(await changeProfile(operation, { id, changes }))) throw refuse(contract.changePerson, 'not_found');
  });

  mount(contract.deletePerson, async ({ operation, params: { id } }) => {
    const at = await planDeletion(operation, { id, config });
    if (at === undefined) throw refuse(contract.deletePerson, 'not_found');
    if (at === 'last owner') throw refuse(contract.deletePerson, 'last_owner');
    return { delete_at: iso(at) };
  });

  mount(contract.lockPerson, async ({ operation, params }) => {
    const ended = await lockAccount(operation, params);
    if (ended === 'last owner') throw refuse(contract.lockPerson, 'last_owner');
    if (ended === undefined) throw refuse(contract.lockPerson, 'not_found');
    return { ended };
  });

  mount(contract.unlockPerson, async ({ operation, params }) => {
    if (!(await unlockAccount(operation, params))) throw refuse(contract.unlockPerson, 'not_found');
  });

  mount(contract.endPersonSessions, async ({ operation, params }) => {
    const ended = await endSessions(operation, params);
    if (ended === undefined) throw refuse(contract.endPersonSessions, 'not_found');
    return { ended };
  });

  mount(contract.resetPassword, async ({ operation, params: { id } }) => {
    if (!(await sendReset(operation, { id, config, secrets }))) throw refuse(contract.resetPassword, 'not_found');
  });

  mount(contract.removeSecondStep, async ({ operator, operation, params, body: { immediately } }) => {
    if (immediately && !isRoleEnough(operator.role, 'owner'))
      throw refuse(contract.removeSecondStep, 'role_insufficient');
    const account = await accountIn(contract.removeSecondStep, params);
    const at = await removeSecondStep(operation, { account, service: { config, secrets }, immediately });
    if (at === undefined) throw refuse(contract.removeSecondStep, 'not_found');
    return { removal_at: iso(at) };
  });

  mount(contract.revealPerson, async ({ operation, params }) => {
    const account = await accountIn(contract.revealPerson, params);
    await recordView(operation, { account, action: 'contact_revealed' });
    return { email: account.email, phone: account.phone };
  });

  mount(contract.exportPerson, async ({ operation, params }) => ({
    data: await exportAccount(operation, await accountIn(contract.exportPerson, params)),
  }));

  mount(contract.removePersonPasskey, async ({ operation, params: { id, passkey } }) => {
    const account = await accountIn(contract.removePersonPasskey, { id });
    if (!(await removePasskey(operation, { account, id: passkey })))
      throw refuse(contract.removePersonPasskey, 'not_found');
  });

  mount(contract.addToGroup, async ({ operation, params: { id, group } }) => {
    const account = await accountIn(contract.addToGroup, { id });
    const outcome = await addAccountToGroup(operation, { account, group });
    if (outcome === 'full' || outcome === 'misnamed')
      throw refuseField(contract.addToGroup, { field: 'group', code: 'not_understood' });
  });

  mount(contract.removeFromGroup, async ({ operation, params: { id, group } }) => {
    const account = await accountIn(contract.removeFromGroup, { id });
    if (!(await removeAccountFromGroup(operation, { account, group })))
      throw refuse(contract.removeFromGroup, 'not_found');
  });
}
