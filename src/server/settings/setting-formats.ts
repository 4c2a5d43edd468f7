import * as z from 'zod/mini';
import { languages } from '../../contract/languages.ts';
import type { TextByLanguage } from '../../contract/settings.ts';

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

const sentence = z.string().check(z.minLength(1), z.maxLength(200));
const byLanguage = z.strictObject(Object.fromEntries(languages.map(({ code }) => [code, z.optional(sentence)])));

/** One sentence for all languages, or JSON with one for each. */
export const sentences = z.pipe(
  z.string(),
  z.transform((value, { issues }): TextByLanguage => {
    const given = value.startsWith('{')
      ? parsed(value)
      : Object.fromEntries(languages.map(({ code }) => [code, value]));
    const { data } = byLanguage.safeParse(given);
    if (data) return data;
    const message =
      'must be a sentence of at most 200 characters, or JSON with one for each language: {"en":"…","de":"…"}';
    issues.push({ code: 'custom', input: value, message });
    return z.NEVER;
  }),
);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
