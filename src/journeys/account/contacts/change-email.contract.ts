import * as z from 'zod/mini';
import { endpoint } from '../../../contract/endpoint.ts';
import { currentPassword, email, password } from '../../../contract/fields/fields.ts';

/** The page's form: its password has its own name because other forms on the page also have one. */
export const emailChange = (provesFirst: boolean) => z.object({ email, email_password: currentPassword(provesFirst) });

export const requestEmailChange = endpoint({
  route: 'POST /account/email',
  summary: 'Request another email address: it receives a link, and nothing changes until the link is confirmed',
  auth: 'bearer',
  sensitive: 'or_password',
  /** The password is needed unless the last sign-in or step-up is recent. */
  body: z.object({ email, password: z.optional(password) }),
  status: 202,
  response: z.object({}),
  failures: ['incorrect_password', 'too_many_attempts', 'too_many_mails', 'account_exists', 'email_cannot_be_used'],
  fieldCodes: ['email_unchanged'],
});

export const cancelEmailChange = endpoint({
  route: 'DELETE /account/email',
  summary: 'Cancel a requested change of the email address, whose link then no longer works',
  auth: 'bearer',
});

export const resendConfirmation = endpoint({
  route: 'POST /account/email/resend',
  summary: 'Send the link that confirms the account’s email address again; does nothing once it is confirmed',
  auth: 'bearer',
  status: 202,
  response: z.object({}),
  failures: ['too_many_mails'],
});

const link = z.object({ hash: z.catch(z.string(), '') });
const changed = z.object({ email: z.string() });

export const changeEmail = endpoint({
  route: 'POST /account/email/change',
  summary: 'Change an account’s email address with the link sent to the new one',
  body: link,
  response: changed,
  failures: ['confirmation_link_expired', 'account_exists'],
});

export const undoEmailChange = endpoint({
  route: 'POST /account/email/undo',
  summary:
    'Undo a change of the email address with the link sent to the old one: ends every session, voids the password, removes computers added since',
  body: link,
  /** `reset`: the secret of a reset link for the restored address. `removed`: how many computers were removed. */
  response: z.object({ email: z.string(), reset: z.string(), removed: z.number() }),
  failures: ['confirmation_link_expired', 'account_exists'],
});

export const previewUndo = endpoint({
  route: 'POST /account/email/undo/preview',
  summary: 'What the undo of a change of the email address would remove; changes nothing',
  body: link,
  response: z.object({
    computers: z.number(),
    passkeys: z.number(),
    authenticator: z.boolean(),
    password: z.boolean(),
  }),
  failures: ['confirmation_link_expired', 'account_exists'],
});
