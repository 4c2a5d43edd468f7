import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { accessGranted, dbType, email, password } from '../../contract/fields.ts';

export const credentials = z.object({ email, password, db_type: dbType });

export const login = endpoint({
  method: 'POST',
  path: '/auth/login',
  body: credentials,
  status: 200,
  answer: accessGranted,
  failures: [
    'csrf_failed',
    'validation_failed',
    'incorrect_login_or_password',
    'account_not_found',
    'incorrect_password',
    'too_many_attempts',
    'too_many_requests',
    'try_again_later',
  ],
});
