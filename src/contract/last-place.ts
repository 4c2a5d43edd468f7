import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { locale } from './fields/fields.ts';

const address = z
  .string({ error: (issue) => (issue.input === undefined ? 'required' : 'not_understood') })
  .check(z.maxLength(2048, { error: 'not_understood' }));

/** The owner's last place: an absolute URL, or a path of this service in the requested language. */
export const readLastPlace = endpoint({
  route: 'GET /additionally/way',
  summary: 'Read the owner’s last place',
  auth: 'bearer',
  query: z.object({ locale: z.optional(locale) }),
  response: z.object({ last_place: z.string() }),
});

export const rememberLastPlace = endpoint({
  route: 'PUT /additionally/way',
  summary: 'Save the owner’s last place',
  auth: 'bearer',
  body: z.object({ place: address }),
  failures: ['place_not_allowed'],
});

/** The operator's redirect rule for a path, if there is one. */
export const redirectRule = endpoint({
  route: 'GET /additionally/rule',
  summary: 'Look up the operator’s redirect rule for a path',
  query: z.object({ path: address }),
  response: z.object({ redirect: z.optional(z.string()) }),
});
