import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { dbType, email, locale, newPassword, passwordRepeat, passwordsMatch } from '../../contract/fields/fields.ts';

export const recoveryRequest = z.object({ email, locale, db_type: dbType });

/** Accepted whether or not the account exists. */
export const requestRecovery = endpoint({
  method: 'POST',
  path: '/auth/recovery',
  summary: 'Have a link for a new password sent by mail',
  body: recoveryRequest,
  status: 202,
  answer: z.object({}),
  failures: ['too_many_requests'],
});

/** The secret of a link; one that cannot be ours is refused like one that is used up. */
const hash = z.catch(z.string(), '');

/** Tells whether a link still works, and consumes nothing: mail scanners open links. */
export const checkResetLink = endpoint({
  method: 'POST',
  path: '/auth/reset-password/check',
  summary: 'Tell whether such a link still works',
  body: z.object({ email: z.catch(email, ''), hash }),
  status: 204,
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
  method: 'POST',
  path: '/auth/reset-password',
  summary: 'Set a new password by such a link',
  body: newPasswordForm,
  status: 204,
  failures: ['reset_link_invalid'],
  fieldCodes: ['password_common'],
});
