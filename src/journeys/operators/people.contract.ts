import * as z from 'zod/mini';
import { profileDetails, profileFields } from '../../contract/account.ts';
import { timelineKinds } from '../../contract/console.ts';
import { endpoint, named, ownId, pageLimit } from '../../contract/endpoint.ts';
import { textLimit } from '../../contract/fields/field-sizes.ts';
import { email, locale, name, phone } from '../../contract/fields/fields.ts';
import { actorKinds } from '../../contract/operators.ts';
import { credentialId } from '../../contract/sign-in/web-authn.ts';

const time = z.string();
const timeOrNull = z.nullable(time);
const text = z.string();
const textOrNull = z.nullable(text);

/** Why an operator acts, for the audit log. */
export const reason = z.optional(
  z.string({ error: 'not_understood' }).check(z.maxLength(textLimit - 1, { error: 'too_long' })),
);
const retryId = z.string({ error: 'not_understood' }).check(z.maxLength(100, { error: 'not_understood' }));

/** What to send again. */
export const retry = named(
  'Retry',
  z.object({
    ids: z.union(
      [
        z
          .array(retryId, { error: 'not_understood' })
          .check(z.minLength(1, { error: 'not_understood' }), z.maxLength(100, { error: 'not_understood' })),
        z.literal('all', { error: 'not_understood' }),
      ],
      { error: 'not_understood' },
    ),
    reason,
  }),
);

/** Characters of a note. */
export const noteLength = 2000;

/** Where a page begins: the `next` of the page before. */
export const cursor = z.optional(
  z.string({ error: 'not_understood' }).check(z.regex(/^[\w-]{1,1000}$/, { error: 'not_understood' })),
);

type Shape = Readonly<Record<string, z.ZodMiniType>>;

const items = <const S extends Shape>(name: string, of: S) => z.array(named(name, z.object(of)));

/** The response with a whole list. */
export const listOf = <const S extends Shape>(name: string, of: S) => z.object({ items: items(name, of) });

/** The response with a page of a list, which ends with `next: null`. */
export const pageOf = <const S extends Shape>(name: string, of: S) =>
  z.object({ items: items(name, of), next: textOrNull });

const person = z.object({ id: ownId });

/** An act on one account, which needs no more than a reason. */
const act = { auth: 'operator', role: 'support', params: person, body: z.object({ reason }) } as const;

const summary = named(
  'PersonSummary',
  z.object({
    id: text,
    email: text,
    name: text,
    phone: text,
    locale: text,
    created_at: time,
    email_proven_at: timeOrNull,
    phone_confirmed_at: timeOrNull,
    second_step_at: timeOrNull,
    locked_at: timeOrNull,
    delete_at: timeOrNull,
  }),
);

const device = { ip: text, device: text };

/** Values of the sentence that a code stands for. */
export const params = z.record(text, z.union([text, z.number(), z.array(text)]));

const details = named(
  'Person',
  z.object({
    going_on: z.array(
      named('GoingOn', z.object({ code: text, params, text, until: z.optional(time), action: z.optional(text) })),
    ),
    id: text,
    email: text,
    email_proven_at: timeOrNull,
    email_unreachable_since: timeOrNull,
    email_unreachable_because: textOrNull,
    email_unreachable_words: textOrNull,
    email_change_to: textOrNull,
    email_change_until: timeOrNull,
    email_change_can_be_undone_until: timeOrNull,
    name: text,
    phone: text,
    phone_confirmed_at: timeOrNull,
    ...profileDetails,
    promo_code: textOrNull,
    locale: text,
    time_zone: textOrNull,
    created_at: time,
    password_changed_at: time,
    locked_at: timeOrNull,
    wrong_passwords_lock_it_until: timeOrNull,
    delete_at: timeOrNull,
    password: z.boolean(),
    second_step_since: timeOrNull,
    second_step_removal_at: timeOrNull,
    authenticator: z.boolean(),
    recovery_codes_left: z.number(),
    remembered_devices: z.number(),
    passkeys: z.array(
      named(
        'PersonPasskey',
        z.object({
          id: text,
          name: text,
          provider: textOrNull,
          synced: z.boolean(),
          created_at: time,
          last_used_at: timeOrNull,
        }),
      ),
    ),
    notes: z.array(
      named(
        'OperatorNote',
        z.object({ at: time, actor_kind: z.enum(actorKinds), actor: text, actor_name: textOrNull, text }),
      ),
    ),
    groups: z.array(text),
    applications: z.array(
      named(
        'PersonApplication',
        z.object({ id: text, name: text, scopes: z.array(text), connected_at: time, last_used_at: time }),
      ),
    ),
    consents: z.array(
      named(
        'PersonConsent',
        z.object({ kind: text, given: z.boolean(), version: z.number(), document: textOrNull, at: time }),
      ),
    ),
    computers: z.optional(
      z.array(
        named(
          'PersonComputer',
          z.object({
            id: text,
            name: text,
            platform: textOrNull,
            created_at: time,
            last_seen_at: time,
            warnings: z.array(text),
          }),
        ),
      ),
    ),
    sessions: z.array(
      named(
        'PersonSession',
        z.object({ id: text, created_at: time, last_seen_at: time, ...device, amr: z.array(text) }),
      ),
    ),
    activity: z.array(named('PersonActivity', z.object({ at: time, kind: text, ...device }))),
  }),
);

/** The filters of the list of people. */
export const peopleStates = ['new', 'locked', 'leaving', 'returned', 'operators', 'no_second_step'] as const;

export type PeopleState = (typeof peopleStates)[number];

export const findPeople = endpoint({
  route: 'GET /operators/people',
  summary: 'Find people, or list them, the newest first',
  auth: 'operator',
  role: 'viewer',
  query: z.object({
    q: z.optional(
      z
        .string({ error: 'not_understood' })
        .check(z.minLength(1, { error: 'required' }), z.maxLength(textLimit - 1, { error: 'too_long' })),
    ),
    state: z.optional(z.enum(peopleStates, { error: 'not_understood' })),
    cursor,
    limit: pageLimit({ usual: 50, max: 100 }),
  }),
  status: 200,
  response: z.object({ items: z.array(summary), next: textOrNull }),
  failures: ['too_many_requests'],
  fieldCodes: ['not_understood'],
});

export const createPerson = endpoint({
  route: 'POST /operators/people',
  summary: 'Create an account without a password, and email a link to set one',
  auth: 'operator',
  role: 'support',
  body: z.object({
    email,
    name,
    phone: z.optional(phone),
    ...profileFields,
    locale,
    invite: z._default(z.boolean({ error: 'not_understood' }), true),
    reason,
  }),
  status: 201,
  response: z.object({ id: text }),
  failures: ['account_exists', 'email_cannot_be_used', 'too_many_mails'],
  fieldCodes: ['phone_invalid'],
});

export const readPerson = endpoint({
  route: 'GET /operators/people/:id',
  summary: 'Read what is going on with a person, and everything about the account',
  auth: 'operator',
  role: 'viewer',
  params: person,
  status: 200,
  response: details,
});

export const changePerson = endpoint({
  ...act,
  route: 'PATCH /operators/people/:id',
  summary: 'Change the details of an account',
  /** Absent fields stay unchanged; a blank organization or INN is removed. */
  body: z.object({ name: z.optional(name), ...profileFields, locale: z.optional(locale), reason }),
  status: 204,
});

export const deletePerson = endpoint({
  ...act,
  route: 'DELETE /operators/people/:id',
  summary: 'End all access, and delete the account after the grace period',
  status: 200,
  response: z.object({ delete_at: time }),
  failures: ['last_owner'],
});

const ended = z.object({ ended: z.number() });

export const lockPerson = endpoint({
  ...act,
  route: 'POST /operators/people/:id/lock',
  summary: 'Block all sign-in methods until the account is unlocked, and end its sessions',
  status: 200,
  response: ended,
  failures: ['last_owner'],
});

export const unlockPerson = endpoint({
  ...act,
  route: 'POST /operators/people/:id/unlock',
  summary: 'Unlock an account, whether an operator or wrong passwords locked it',
  status: 204,
});

export const endPersonSessions = endpoint({
  ...act,
  route: 'POST /operators/people/:id/end-sessions',
  summary: 'Sign a person out everywhere',
  status: 200,
  response: ended,
});

export const resetPassword = endpoint({
  ...act,
  route: 'POST /operators/people/:id/reset',
  summary: 'Email a link to set a new password to the address of the account',
  status: 202,
  failures: ['too_many_mails'],
});

export const removeSecondStep = endpoint({
  ...act,
  route: 'POST /operators/people/:id/second-step-removal',
  summary: 'Begin the removal of a lost second step; only an owner may remove it immediately',
  body: z.object({ immediately: z._default(z.boolean({ error: 'not_understood' }), false), reason }),
  status: 200,
  response: z.object({ removal_at: time }),
});

export const revealPerson = endpoint({
  ...act,
  role: 'viewer',
  readsOnly: true,
  route: 'POST /operators/people/:id/reveal',
  summary: 'Show a viewer the address and phone number',
  status: 200,
  response: z.object({ email: text, phone: text }),
});

export const exportPerson = endpoint({
  ...act,
  readsOnly: true,
  route: 'POST /operators/people/:id/export',
  summary: 'Export everything stored about an account, as its owner can',
  status: 200,
  response: z.object({ data: z.unknown() }),
});

export const readTimeline = endpoint({
  route: 'GET /operators/people/:id/timeline',
  summary: 'Read everything that happened to a person, the newest first',
  auth: 'operator',
  role: 'viewer',
  params: person,
  query: z.object({
    kind: z.optional(z.enum(timelineKinds, { error: 'not_understood' })),
    cursor,
    limit: pageLimit({ usual: 50, max: 100 }),
  }),
  status: 200,
  response: pageOf('TimelineEntry', {
    id: text,
    at: time,
    kind: z.enum(timelineKinds),
    code: text,
    outcome: textOrNull,
    params,
    ip: textOrNull,
    device: textOrNull,
    actor: textOrNull,
    actor_name: textOrNull,
    reason: textOrNull,
  }),
  fieldCodes: ['not_understood'],
});

export const writeNote = endpoint({
  ...act,
  route: 'POST /operators/people/:id/notes',
  summary: 'Keep a note about a person for colleagues; the export of the account contains it',
  body: z.object({
    text: z
      .string({ error: 'required' })
      .check(z.trim(), z.minLength(1, { error: 'required' }), z.maxLength(noteLength, { error: 'too_long' })),
    reason,
  }),
  status: 201,
  response: z.object({ id: text }),
});

export const resendEmails = endpoint({
  ...act,
  route: 'POST /operators/people/:id/resend',
  summary:
    'Send the emails again that wait or were given up, and the invitation, or one that proves the address, if nobody has proven it',
  status: 200,
  response: z.object({ retried: z.array(text), invitation: z.boolean(), confirmation: z.boolean() }),
  failures: ['too_many_mails'],
});

export const changeAddress = endpoint({
  ...act,
  route: 'POST /operators/people/:id/email',
  summary: 'Email the link that changes the address to the new one; the former one can undo the change',
  body: z.object({ email, reason }),
  status: 202,
  failures: ['account_exists', 'email_cannot_be_used', 'too_many_mails'],
  fieldCodes: ['email_unchanged'],
});

export const removePersonPasskey = endpoint({
  ...act,
  route: 'DELETE /operators/people/:id/passkeys/:passkey',
  summary: 'Remove a passkey, such as that of a stolen device, and notify its owner',
  params: z.object({ id: ownId, passkey: credentialId }),
  status: 204,
});

const membership = { ...act, params: z.object({ id: ownId, group: ownId }), status: 204 } as const;

export const addToGroup = endpoint({
  ...membership,
  route: 'PUT /operators/people/:id/groups/:group',
  summary: 'Add a person to a group',
  fieldCodes: ['not_understood'],
});

export const removeFromGroup = endpoint({
  ...membership,
  route: 'DELETE /operators/people/:id/groups/:group',
  summary: 'Remove a person from a group',
});
