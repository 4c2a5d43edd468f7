import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { dbType, email, locale, newPassword, passwordRepeat, passwordsMatch } from '../../contract/fields/fields.ts';

export const recoveryRequest = z.object({ email, locale, db_type: dbType });

/** Accepted whether or not the account exists. */
export const requestRecovery = endpoint({
  route: 'POST /auth/recovery',
  provesWork: true,
  summary: 'Request a password reset link by email',
  body: recoveryRequest,
  status: 202,
  response: z.object({}),
  failures: ['too_many_requests'],
});

/** The secret of a link. A malformed secret is refused like a used one. */
const hash = z.catch(z.string(), '');

/** Checks a link without consuming it: mail scanners open links. */
export const checkResetLink = endpoint({
  route: 'POST /auth/reset-password/check',
  summary: 'Check whether a reset link still works',
  body: z.object({ email: z.catch(email, ''), hash }),
  failures: ['reset_link_invalid'],
});

export const newPasswordForm = (passwordMinLength: number) =>
  z
    .object({
      email: z.catch(email, ''),
      hash,
      password: newPassword(passwordMinLength),
      password_repeat: passwordRepeat,
    })
    .check(passwordsMatch);

export const resetPassword = endpoint({
  route: 'POST /auth/reset-password',
  provesWork: true,
  summary: 'Set a new password with a reset link',
  body: newPasswordForm,
  failures: ['reset_link_invalid'],
  fieldCodes: ['password_common'],
});
