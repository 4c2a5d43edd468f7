import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { accessGranted, dbType, email, locale, mailCode } from '../../contract/fields.ts';

export const codeRequest = z.object({ email, locale });

/** Accepted whether or not the account exists. */
export const requestCode = endpoint({
  method: 'POST',
  path: '/auth/code',
  body: codeRequest,
  status: 202,
  answer: z.object({}),
  failures: ['csrf_failed', 'validation_failed', 'too_many_requests', 'try_again_later'],
});

export const codeForm = z.object({ email: z.catch(email, ''), code: mailCode, db_type: dbType });

/** Only in the browser that asked for the code. */
export const loginByCode = endpoint({
  method: 'POST',
  path: '/auth/code/login',
  body: codeForm,
  status: 200,
  answer: accessGranted,
  failures: ['csrf_failed', 'validation_failed', 'code_incorrect', 'code_expired', 'try_again_later'],
});
