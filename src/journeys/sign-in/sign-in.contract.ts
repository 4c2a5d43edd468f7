import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { dbType, email, password, shared } from '../../contract/fields/fields.ts';
import { accessGranted } from '../../contract/sign-in/admission.ts';

export const credentials = z.object({ email, password, db_type: dbType, shared });

export const login = endpoint({
  route: 'POST /auth/login',
  provesWork: true,
  summary: 'Sign in with a password',
  body: credentials,
  response: accessGranted,
  failures: [
    'incorrect_login_or_password',
    'account_not_found',
    'incorrect_password',
    // Only after the right password of an account that an operator has locked.
    'email_cannot_be_used',
    'second_step_required',
    'too_many_attempts',
    'too_many_requests',
  ],
});
