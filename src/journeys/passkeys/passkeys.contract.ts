import * as z from 'zod/mini';
import { endpoint, named } from '../../contract/endpoint.ts';
import { dbType, name, shared } from '../../contract/fields/fields.ts';
import { accessGranted } from '../../contract/sign-in/admission.ts';
import {
  createdPasskey,
  creationOptions,
  credentialId,
  requestOptions,
  usedPasskey,
} from '../../contract/sign-in/web-authn.ts';

/** Options for a sign-in with any passkey of this site. Sets the cookie that binds the challenge to the browser. */
export const passkeyChallenge = endpoint({
  route: 'POST /auth/passkeys/challenge',
  summary: 'Request the challenge of a sign-in with a passkey',
  body: z.object({}),
  response: requestOptions,
  failures: ['too_many_requests'],
});

export const loginByPasskey = endpoint({
  route: 'POST /auth/passkeys/login',
  summary: 'Sign in with a passkey',
  body: z.object({ credential: usedPasskey, db_type: dbType, shared }),
  response: accessGranted,
  failures: [
    // The page signals the browser to forget this passkey: the problem has `rp_id` and `credential_id`.
    'passkey_unknown',
    'passkey_refused',
    'challenge_expired',
    'email_cannot_be_used',
    'too_many_requests',
  ],
});

const passkey = named(
  'Passkey',
  z.object({
    id: z.string(),
    name: z.string(),
    provider: z.nullable(z.string()),
    /** Backed up by its provider, so that it survives the loss of a device. */
    synced: z.boolean(),
    created_at: z.string(),
    last_used_at: z.nullable(z.string()),
  }),
);

export const listPasskeys = endpoint({
  route: 'GET /account/passkeys',
  summary: 'List the passkeys of the signed-in account',
  auth: 'bearer',
  response: z.object({
    passkeys: z.array(passkey),
    rp_id: z.optional(z.string()),
    user_id: z.optional(z.string()),
  }),
});

export const newPasskeyChallenge = endpoint({
  route: 'POST /account/passkeys/challenge',
  summary: 'Request the options for creating a passkey',
  auth: 'bearer',
  sensitive: true,
  /** `automatic`: the browser creates it without a prompt (conditional creation). */
  body: z.object({ automatic: z.catch(z.optional(z.boolean()), undefined) }),
  response: creationOptions,
  // With the `limit` of the passkeys that an account can have.
  statuses: { passkey_refused: 422 },
  failures: ['passkey_refused', 'too_many_requests'],
});

export const addPasskey = endpoint({
  route: 'POST /account/passkeys',
  summary: 'Add a passkey to the signed-in account',
  auth: 'bearer',
  sensitive: true,
  body: z.object({ credential: createdPasskey, name: z.optional(name) }),
  status: 201,
  response: passkey,
  /** At a sign-in, the same code is a failed authentication. */
  statuses: { passkey_refused: 422 },
  failures: ['passkey_exists', 'passkey_refused', 'challenge_expired', 'too_many_requests'],
});

/** The page’s form: its field has its own name because other forms on the page also have a name. */
export const passkeyName = z.object({ passkey_name: name });

const one = z.object({ id: credentialId });

export const renamePasskey = endpoint({
  route: 'PATCH /account/passkeys/:id',
  summary: 'Rename a passkey',
  auth: 'bearer',
  sensitive: true,
  params: one,
  body: z.object({ name }),
  response: passkey,
  failures: ['not_found'],
});

export const removePasskey = endpoint({
  route: 'DELETE /account/passkeys/:id',
  summary: 'Remove a passkey',
  auth: 'bearer',
  sensitive: true,
  params: one,
  failures: ['not_found', 'last_way_in'],
});

/** For accounts with at least two passkeys. Recovery by email sets a password again. */
export const removePassword = endpoint({
  route: 'DELETE /account/password',
  summary: 'Remove the password',
  auth: 'bearer',
  sensitive: true,
  failures: ['last_way_in'],
});
