import * as z from 'zod/mini';
import { endpoint, ownId } from '../../contract/endpoint.ts';
import { email } from '../../contract/fields/fields.ts';
import { keyRoles, operatorRoles } from '../../contract/operators.ts';
import { listOf, reason } from './people.contract.ts';

const text = z.string();
const time = z.string();
const timeOrNull = z.nullable(time);
const role = z.enum(operatorRoles, { error: 'not_understood' });

/** By a signed-in user, with two factors: nobody becomes an operator in another way. */
export const acceptInvitation = endpoint({
  route: 'POST /operators/invitations/accept',
  summary: 'Accept an invitation to operate this service',
  auth: 'bearer',
  sensitive: true,
  body: z.object({ invitation: z.string({ error: 'required' }).check(z.maxLength(100, { error: 'not_understood' })) }),
  status: 200,
  response: z.object({ role }),
  failures: ['invitation_invalid', 'too_many_requests', 'not_found'],
});

export const readOperator = endpoint({
  route: 'GET /operators/me',
  summary: 'Read who sends this request, and with which role',
  auth: 'operator',
  role: 'viewer',
  status: 200,
  response: z.object({ kind: z.enum(['operator', 'key']), id: text, role }),
});

export const listOperators = endpoint({
  route: 'GET /operators/operators',
  summary: 'List the operators',
  auth: 'operator',
  role: 'owner',
  status: 200,
  response: listOf('Operator', { id: text, email: text, name: text, role, added_at: time }),
});

export const inviteOperator = endpoint({
  route: 'POST /operators/invitations',
  summary: 'Invite the owner of an address to operate this service; works once, for 30 minutes',
  auth: 'operator',
  role: 'owner',
  body: z.object({ email, role, reason }),
  status: 201,
  response: z.object({ invitation: text, invitation_link: text, expires_at: time }),
});

export const listInvitations = endpoint({
  route: 'GET /operators/invitations',
  summary: 'List the invitations that nobody has accepted yet',
  auth: 'operator',
  role: 'owner',
  status: 200,
  response: listOf('OperatorInvitation', {
    id: text,
    email: text,
    role,
    expires_at: time,
    added_by: z.nullable(text),
    added_by_name: z.nullable(text),
  }),
});

const operator = { auth: 'operator', role: 'owner', params: z.object({ id: ownId }) } as const;

export const revokeInvitation = endpoint({
  ...operator,
  route: 'DELETE /operators/invitations/:id',
  summary: 'Revoke an invitation immediately',
  body: z.object({ reason }),
  status: 204,
});

export const changeOperator = endpoint({
  ...operator,
  route: 'PATCH /operators/operators/:id',
  summary: 'Change the role of an operator',
  body: z.object({ role, reason }),
  status: 204,
  failures: ['last_owner'],
});

export const removeOperator = endpoint({
  ...operator,
  route: 'DELETE /operators/operators/:id',
  summary: 'Make an operator an ordinary user',
  body: z.object({ reason }),
  status: 204,
  failures: ['last_owner'],
});

export const listKeys = endpoint({
  route: 'GET /operators/api-keys',
  summary: 'List the keys for this API',
  auth: 'operator',
  role: 'owner',
  status: 200,
  response: listOf('OperatorKey', {
    id: text,
    name: text,
    role: z.enum(keyRoles),
    addresses: z.array(text),
    created_at: time,
    expires_at: time,
    revoked_at: timeOrNull,
    last_used_at: timeOrNull,
  }),
});

export const addKey = endpoint({
  route: 'POST /operators/api-keys',
  summary: 'Create a key for this API; only this response contains it',
  auth: 'operator',
  role: 'owner',
  body: z.object({
    name: z
      .string({ error: 'required' })
      .check(z.minLength(1, { error: 'required' }), z.maxLength(60, { error: 'too_long' })),
    role: z.enum(keyRoles, { error: 'not_understood' }),
    days: z._default(
      z
        .int({ error: 'not_understood' })
        .check(z.refine((count) => count >= 1 && count <= 365, { error: 'not_understood' })),
      90,
    ),
    addresses: z._default(z.array(z.string({ error: 'not_understood' }), { error: 'not_understood' }), []),
    reason,
  }),
  status: 201,
  response: z.object({ id: text, key: text, expires_at: time }),
  fieldCodes: ['not_understood'],
});

export const revokeKey = endpoint({
  ...operator,
  route: 'DELETE /operators/api-keys/:id',
  summary: 'Revoke a key for this API immediately',
  body: z.object({ reason }),
  status: 204,
});
