import * as z from 'zod/mini';
import { components } from '../endpoint.ts';
import type { FieldCode } from '../failures.ts';
import { languages } from '../languages.ts';
import {
  callingNumberMinLength,
  dbTypeLimit,
  mailCodeDigits,
  passwordMaxLength,
  passwordTypedLimit,
  phoneDigits,
  promoCodeMinLength,
  textLimit,
} from './field-sizes.ts';
import { isKnownTimeZone } from './time.ts';

// Control characters, line and paragraph separators, zero-width characters and byte order marks: invisible, so never
// intended, and a CR or LF in an address would end a header of an email.
const invisible = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Strips invisible characters from both ends. Walks from the ends: a pattern for the end alone takes quadratic time.
 */
function trim(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && invisible.test(text.charAt(from))) from += 1;
  while (from < to && invisible.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const innWeights = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** Whether the check digits of an INN are correct (Order of the Federal Tax Service MMV-7-6/435). */
export function innIsValid(inn: string): boolean {
  const digits = [...inn].map(Number);
  const checkDigit = (position: number) => {
    const weights = innWeights.slice(innWeights.length - position);
    return (weights.reduce((sum, weight, at) => sum + weight * (digits[at] as number), 0) % 11) % 10;
  };
  if (digits.length === 10) return checkDigit(9) === digits[9];
  if (digits.length === 12) return checkDigit(10) === digits[10] && checkDigit(11) === digits[11];
  return false;
}

/** Counts characters as people do: code points, so that an emoji is one. */
const characters = (text: string): number => [...text].length;

const under = (limit: number) => (text: string) => characters(text) < limit;
const notUnder = (limit: number) => (text: string) => characters(text) >= limit;

/** The issue's message is a field code; `fieldFailures` reads it back. */
const code = (value: FieldCode) => value;

const string = (missing: FieldCode, wrongType: FieldCode = 'not_understood') =>
  z.string({ error: (issue) => (issue.input === undefined || issue.input === null ? code(missing) : code(wrongType)) });

type Rule<T> = readonly [test: (value: T) => boolean, code: FieldCode, params?: Record<string, number>];

/** Checks rules in order and reports the first broken one: a field reports one problem at a time. */
function must<T>(...rules: readonly Rule<T>[]) {
  const check = z.check<T>(({ value, issues }) => {
    const broken = rules.find(([test]) => !test(value));
    if (!broken) return;
    const [, message, params] = broken;
    issues.push({ code: 'custom', input: value, message, ...(params && { params }) });
  });
  // For `field-codes.ts`.
  return Object.assign(check, { codes: rules.map(([, broken]) => broken) });
}

const trimmed = z.overwrite(trim);

// They would reorder the text around a name. The marks that a name in several scripts may need stay.
const directionControls = /[\u202a-\u202e\u2066-\u2069]/gu;

/** One line of text: line breaks and control characters become spaces. */
const line = z.overwrite<string>((text) =>
  trim(text.replace(directionControls, '').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')),
);

/** A field that may be absent, null or blank, which all mean the same. */
const optional = <T extends z.ZodMiniType<string, string>>(schema: T) =>
  z.optional(
    z.pipe(
      z.pipe(
        z.nullable(string('required')),
        z.transform((text) => (text === null || trim(text) === '' ? undefined : text)),
      ),
      z.optional(schema),
    ),
  );

// Invisible characters from copying an address. Joiners may have a meaning, so they stay and are refused.
const unseen = /(?![\u200c\u200d])\p{DI}/gu;
const seen = z.overwrite<string>((text) => trim(text.replace(unseen, '')));

export const email = string('email_required', 'email_invalid').check(
  seen,
  must([(text) => text !== '', 'email_required'], [under(textLimit), 'too_long']),
  z.overwrite((text) => (characters(text) < textLimit ? spellEmail(text) : text)),
  must([(text) => text === '' || !under(textLimit)(text) || isEmailAddress(text), 'email_invalid']),
);

/**
 * A password that proves an identity: compared exactly as typed, unless it is too long for anyone to have chosen it.
 */
export const password = string('password_required').check(
  must(
    [(text) => text !== '', 'password_required'],
    [under(passwordTypedLimit), 'password_too_long', { max: passwordMaxLength }],
  ),
);

/** The same in a form that does without it if the owner proves who they are by a step-up. */
export const currentPassword = (provesFirst: boolean) => (provesFirst ? z.optional(z.string()) : password);

/** A new password. Exact: never trimmed, never truncated (NIST SP 800-63B-4, 3.1.1.2). */
export const newPassword = (minLength: number) =>
  string('password_required').check(
    must(
      [(text) => text !== '', 'password_required'],
      [notUnder(minLength), 'password_too_short', { min: minLength }],
      [under(passwordMaxLength + 1), 'password_too_long', { max: passwordMaxLength }],
    ),
  );

export const passwordRepeat = string('required').check(must([(text) => text !== '', 'required']));

const isFilled = (form: unknown): boolean => {
  const { password, password_repeat } = form as Record<string, unknown>;
  return typeof password === 'string' && typeof password_repeat === 'string' && password_repeat !== '';
};

/** For a form's schema: the second password repeats the first. */
export const passwordsMatch = z.refine<{ password: string; password_repeat: string }>(
  (form) => form.password === form.password_repeat,
  {
    error: code('passwords_differ'),
    path: ['password_repeat'],
    // Runs even if other fields are wrong, so that a form reports all problems together, but never two for one field.
    when: ({ value }) => isFilled(value),
  },
);

export const name = string('required').check(
  line,
  must([(text) => text !== '', 'required'], [under(textLimit), 'too_long']),
);

/**
 * Checks only that something was typed: `readPhone` decides whether it is a phone number (`contract/fields/phone.ts`).
 */
export const phone = string('required').check(
  line,
  must([(text) => text !== '', 'required'], [under(textLimit), 'phone_invalid']),
);

export const organization = optional(string('required').check(line, must([under(textLimit), 'too_long'])));

/** Russian taxpayer number: 10 digits for an organization, 12 for a person, with check digits. */
export const inn = optional(
  string('required').check(trimmed, must([(text) => /^\d+$/.test(text), 'digits_only'], [innIsValid, 'inn_invalid'])),
);

export const promoCode = optional(
  string('required').check(line, must([notUnder(promoCodeMinLength), 'too_short'], [under(textLimit), 'too_long'])),
);

/** Digits as people write them: in any script, with separators. */
const digits = (parts: RegExp, fits: (text: string) => boolean, misfit: FieldCode) =>
  string('required').check(
    line,
    // Converting digits of other scripts takes time.
    z.overwrite((text) => (text.length < textLimit ? asciiDigits(text).replace(parts, '') : text)),
    must([(text) => text !== '', 'required'], [(text) => /^\d+$/.test(text), 'digits_only'], [fits, misfit]),
  );

/** Digits of a call or a message. The call decides how many count: `digitsThatCount`. */
export const callDigits = digits(/[\s()+./\p{Pd}\p{Cf}]/gu, ({ length }) => length >= phoneDigits, 'digits_four');

/** The typed digits, as `callDigits` reads them; if it refuses them, none, and the code of the refusal. */
export function readDigits(typed: string): { digits: string; code?: string | undefined } {
  const read = callDigits.safeParse(typed);
  return read.success ? { digits: read.data } : { digits: '', code: read.error.issues[0]?.message };
}

/**
 * The digits to compare with those of a call that has `expected` of them: the last ones, if someone typed a whole
 * number. Undefined if they do not fit.
 */
export function digitsThatCount(typed: string, expected: number): string | undefined {
  const isWholeNumber = expected === phoneDigits && typed.length >= callingNumberMinLength;
  return typed.length === expected || isWholeNumber ? typed.slice(-expected) : undefined;
}

/** The code for digits that do not fit a call with so many. */
export const misfitOf = (expected: number) => (expected === phoneDigits ? 'digits_four' : 'code_six');

const sixDigits = () => digits(/[\s\p{Pd}\p{Cf}]/gu, ({ length }) => length === mailCodeDigits, 'code_six');

/** An emailed sign-in code. */
export const mailCode = sixDigits();

/** A code of an authenticator app (RFC 6238). */
export const authenticatorCode = sixDigits();

/** A recovery code, in any case and with any separators; anything else is simply incorrect. */
export const recoveryCode = string('required').check(line, must([(text) => text !== '', 'required']));

/** A code that another device shows: `WDJB-MJHT`. In any case and width and with any separators, as people type it. */
export const deviceCode = string('required').check(
  line,
  z.overwrite((text) => (text.length < textLimit ? asDeviceShows(text) : text)),
  must([(text) => text !== '', 'required'], [under(textLimit), 'too_long']),
);

/** A consent that every account requires. */
export const requiredConsent = z
  .boolean({ error: code('consent_required') })
  .check(must([(given) => given, 'consent_required']));

export const consent = z._default(z.boolean({ error: code('not_understood') }), false);

export const locale = z.enum(
  languages.map((language) => language.code),
  { error: code('not_understood') },
);

/** IANA name. */
export const timeZone = string('required').check(must([isKnownTimeZone, 'not_understood']));

export const dbType = optional(
  string('required').check(line, must([(text) => characters(text) <= dbTypeLimit, 'too_long'])),
);

/** One line that a program reports: a name, a kind, a sentence. A half of a character, as file names have, becomes U+FFFD. */
export const reported = (limit: number) =>
  string('required').check(
    z.overwrite((text) => text.toWellFormed()),
    line,
    must([(text) => text !== '', 'required'], [under(limit), 'too_long']),
  );

/** Whether others use the computer: then a sign-in leaves nothing there. */
export const shared = z.catch(z.optional(z.boolean()), undefined);

/** A typed code of a device in the form that the device shows: `WDJB-MJHT`. */
const asDeviceShows = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z\d]/g, '')
    .replace(/^(.{4})(.{4})$/, '$1-$2');

/**
 * Converts decimal digits of any script to ASCII: each script has ten in a row, starting at its zero (Unicode, section
 * 4.6).
 */
const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) as number;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && (digit.codePointAt(0) as number) - zero < 9) zero -= 1;
    return String((digit.codePointAt(0) as number) - zero);
  });

/** Tags of one device. */
const maxTags = 10;
/** Characters of a tag. */
const longestTag = 30;

const areAllowed = (tags: readonly string[]): boolean =>
  tags.length <= maxTags && tags.every((tag) => [...tag].length <= longestTag);

/** Whether a value is absent, or of another type. */
export const missing = (issue: { input: unknown }) => (issue.input === undefined ? 'required' : 'not_understood');

/** A whole number from 1 to `max`. */
export const between1And = (max: number) => {
  const check = z.check<number>(({ value, issues }) => {
    if (Number.isInteger(value) && value >= 1 && value <= max) return;
    issues.push({ code: 'custom', input: value, message: 'number_invalid', params: { max } });
  });
  return (
    z
      .number({ error: missing })
      // The code is for `field-codes.ts`.
      .check(Object.assign(check, { codes: ['number_invalid'] as const }))
      .register(components, { type: 'integer', minimum: 1, maximum: max })
  );
};

/** The tags of a device. A tag that contains commas counts as several. */
export const tags = z.array(z.string({ error: 'not_understood' }), { error: missing }).check(
  z.overwrite((list) => tagsIn(list.join(','))),
  z.refine(areAllowed, { error: 'tags_invalid' }),
);

/** The same in one line, as people type it. */
export const tagsText = z
  .string({ error: missing })
  .check(z.refine((text) => areAllowed(tagsIn(text)), { error: 'tags_invalid' }));

/** Commas of all our scripts, and line breaks, which a pasted list has. */
const separators = /[,،、，;；\p{Cc}\p{Zl}\p{Zp}]+/u;

/** The tags in a text that separates them by commas: each once, however it is capitalized. */
export function tagsIn(text: string): string[] {
  const tags = new Map<string, string>();
  for (const part of text.normalize('NFC').split(separators)) {
    const tag = trim(part).replace(/\s+/gu, ' ');
    const key = tag.toLowerCase();
    if (tag !== '' && !tags.has(key)) tags.set(key, tag);
  }
  return [...tags.values()];
}

/**
 * The canonical spelling of an address: NFC, with its domain in lower case and narrow letters (UTS #46). A lookalike
 * such as U+212A, the Kelvin sign, becomes the plain letter. The case before the @ stays as typed.
 */
export function spellEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at).normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('。', '.');
  return email.slice(0, at).normalize('NFC') + domain;
}

/** RFC 6531 mailbox without quoted local parts: dot-atoms, and a domain of at least two labels. */
const mailbox =
  /^[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}]+(?:\.[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+(?!\d+$)[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;

/** Octets (RFC 5321, section 4.5.3.1.1; RFC 1035, section 2.3.4, where those of a domain are those of its text). */
const longestLocalPart = 64;
const longestLabel = 63;
const longestDomain = 253;

/** Whether an address has a valid form. */
function isEmailAddress(email: string): boolean {
  if (!mailbox.test(email)) return false;
  const at = email.lastIndexOf('@');
  if (new TextEncoder().encode(email.slice(0, at)).length > longestLocalPart) return false;
  // `URL` writes a domain as DNS has it, in A-labels.
  const domain = URL.parse(`http://${email.slice(at + 1)}/`)?.hostname ?? '';
  // Also refuse what `URL` reads as an IPv4 address, such as `0x7f.0x1`.
  return (
    domain !== '' &&
    !/\.\d+$/.test(domain) &&
    domain.length <= longestDomain &&
    domain.split('.').every((label) => label.length <= longestLabel)
  );
}
