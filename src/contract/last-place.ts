import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const address = z
  .string({ error: (issue) => (issue.input === undefined ? 'required' : 'not_understood') })
  .check(z.maxLength(2048, { error: 'not_understood' }));

/** Where the account's owner was last: an absolute URL, or a path of this service. */
export const readLastPlace = endpoint({
  method: 'GET',
  path: '/additionally/way',
  auth: 'bearer',
  status: 200,
  answer: z.object({ last_place: z.string() }),
  failures: ['not_signed_in'],
});

export const rememberLastPlace = endpoint({
  method: 'PUT',
  path: '/additionally/way',
  auth: 'bearer',
  body: z.object({ place: address }),
  status: 204,
  failures: ['csrf_failed', 'not_signed_in', 'place_not_allowed', 'validation_failed'],
});

/** The operator's redirect rule for a path, if there is one. */
export const redirectRule = endpoint({
  method: 'GET',
  path: '/additionally/rule',
  query: z.object({ path: address }),
  status: 200,
  answer: z.object({ redirect: z.optional(z.string()) }),
  failures: ['validation_failed'],
});
