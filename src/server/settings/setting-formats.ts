import * as z from 'zod/mini';

/** A whole number between two bounds. */
export const whole = (from: number, to: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d+$/, 'must be a whole number')),
    z.pipe(
      z.transform(Number),
      z.number().check(z.minimum(from, `must be at least ${from}`), z.maximum(to, `must be at most ${to}`)),
    ),
  );

/** One of several names. */
export const choice = <const Names extends readonly [string, ...string[]]>(...names: Names) =>
  z.enum(names, { error: `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}` });

/** A domain. Lower case, because authenticators sign the bytes of the name. */
export const domain = z
  .string()
  .check(
    z.regex(
      /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z](?:[a-z\d-]*[a-z\d])?$/,
      'must be a domain in lower case, such as example.com',
    ),
  );
