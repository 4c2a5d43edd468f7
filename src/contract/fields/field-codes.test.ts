import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { register } from '../../journeys/register/register.contract.ts';
import { endpoint } from '../endpoint.ts';
import type { FieldCode } from '../failures.ts';
import { fieldCodesOf } from './field-codes.ts';
import * as fields from './fields.ts';

const post = (shape: Record<string, z.ZodMiniType>, also: { fieldCodes?: readonly FieldCode[] } = {}) =>
  endpoint({ route: 'POST /x', summary: 'Try', status: 204, body: z.object(shape), ...also });

test.each([
  ['a required field', post({ name: fields.name }), ['required', 'not_understood', 'too_long']],
  ['an optional field', post({ organization: fields.organization }), ['not_understood', 'too_long']],
  ['a field with a default', post({ consent: fields.consent }), ['not_understood']],
  ['a field with a fallback for wrong input', post({ call: z.catch(fields.email, '') }), []],
  ['a choice', post({ locale: fields.locale }), ['not_understood']],
  [
    'a field that only the server can check',
    post({ consent: fields.requiredConsent }, { fieldCodes: ['phone_not_confirmed'] }),
    ['consent_required', 'phone_not_confirmed'],
  ],
  [
    'a query',
    endpoint({ route: 'GET /x', summary: 'Try', status: 204, query: z.object({ db_type: fields.dbType }) }),
    ['not_understood', 'too_long'],
  ],
])('%s has these codes', (_, asked, expected) => expect(fieldCodesOf(asked).toSorted()).toEqual(expected.toSorted()));

test('a form whose rules depend on a setting, or on two fields together, has its codes', () => {
  const some = ['password_too_short', 'passwords_differ', 'inn_invalid', 'promo_code_unknown'];
  expect(fieldCodesOf(register)).toEqual(expect.arrayContaining(some));
});

test('a field that can be wrong without a code throws an error', () =>
  expect(() => fieldCodesOf(post({ name: z.string() }))).toThrow('/x name: a string without a field code'));

test('an endpoint includes the failures of its shape', () => {
  expect(Object.keys(post({ name: fields.name }).failures).toSorted()).toEqual([
    'csrf_failed',
    'malformed_request',
    'payload_too_large',
    'server_error',
    'try_again_later',
    'unsupported_media_type',
    'validation_failed',
  ]);
  const read = endpoint({ route: 'GET /x', summary: 'Try', status: 204, auth: 'bearer' });
  expect(Object.keys(read.failures).toSorted()).toEqual([
    'malformed_request',
    'not_signed_in',
    'server_error',
    'try_again_later',
  ]);
});
