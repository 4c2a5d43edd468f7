import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { dbType, email, locale, newPassword, passwordRepeat, passwordsMatch } from '../../contract/fields.ts';

export const recoveryRequest = z.object({ email, locale, db_type: dbType });

/** Accepted whether or not the account exists. */
export const requestRecovery = endpoint({
  method: 'POST',
  path: '/auth/recovery',
  body: recoveryRequest,
  status: 202,
  answer: z.object({}),
  failures: ['csrf_failed', 'validation_failed', 'too_many_requests', 'try_again_later'],
});

/** The secret of a link; one that cannot be ours is refused like one that is used up. */
const hash = z.catch(z.string(), '');

/** Tells whether a link still works, and consumes nothing: mail scanners open links. */
export const checkResetLink = endpoint({
  method: 'POST',
  path: '/auth/reset-password/check',
  body: z.object({ email: z.catch(email, ''), hash }),
  status: 204,
  failures: ['csrf_failed', 'reset_link_invalid', 'try_again_later'],
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

export const resetPassword = (passwordMinLength: number) =>
  endpoint({
    method: 'POST',
    path: '/auth/reset-password',
    body: newPasswordForm(passwordMinLength),
    status: 204,
    failures: ['csrf_failed', 'validation_failed', 'reset_link_invalid', 'try_again_later'],
  });
