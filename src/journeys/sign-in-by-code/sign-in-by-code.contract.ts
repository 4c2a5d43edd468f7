import * as z from 'zod/mini';
import { endpoint } from '../../contract/endpoint.ts';
import { dbType, email, locale, mailCode, shared } from '../../contract/fields/fields.ts';
import { accessGranted } from '../../contract/sign-in/admission.ts';

export const codeRequest = z.object({ email, locale });

/** Accepted whether or not the account exists. */
export const requestCode = endpoint({
  route: 'POST /auth/code',
  summary: 'Request a sign-in code by email',
  body: codeRequest,
  status: 202,
  response: z.object({}),
  failures: ['too_many_requests'],
});

export const codeForm = z.object({ email: z.catch(email, ''), code: mailCode, db_type: dbType, shared });

/** Works only in the browser that requested the code. */
export const loginByCode = endpoint({
  route: 'POST /auth/code/login',
  summary: 'Sign in with an emailed code',
  body: codeForm,
  response: accessGranted,
  failures: ['code_incorrect', 'code_expired', 'email_cannot_be_used', 'second_step_required'],
});
