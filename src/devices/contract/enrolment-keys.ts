import * as z from 'zod/mini';
import { endpoint, named, ownId } from '../../contract/endpoint.ts';
import { between1And, missing, name, password, tags, tagsIn, tagsText } from '../../contract/fields/fields.ts';
import { commands } from './computers.ts';

/** Computers that one key may add. */
const maxUses = 10_000;
const longestDays = 365;
/** Networks of one key. */
const maxNetworks = 20;

/** Keys that work at the same time. */
export const keysPerAccount = 50;

const forms = [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()];

const areNetworks = (list: readonly string[]): boolean =>
  list.length <= maxNetworks && list.every((text) => forms.some((form) => form.safeParse(text).success));

/** Addresses and networks in a text, separated by anything that is in neither. */
const networksIn = (text: string): string[] => [...new Set(text.split(/[^\w.:/]+/).filter(Boolean))];

/** Addresses, or networks in CIDR notation (RFC 4632); none stand for everywhere. */
const networks = z.array(z.string({ error: 'not_understood' }), { error: 'not_understood' }).check(
  z.overwrite((list) => [...new Set(list.map((text) => text.trim()))]),
  z.refine(areNetworks, { error: 'networks_invalid' }),
);

/** A number as people type it; 0 if it is none. */
const typed = (max: number) =>
  z.pipe(
    z.pipe(
      z.string({ error: missing }),
      z.transform((text) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : 0)),
    ),
    between1And(max),
  );

/** The form for a new key. */
export const keyForm = z.object({
  key_name: name,
  key_uses: typed(maxUses),
  key_days: typed(longestDays),
  key_tags: tagsText,
  key_networks: z
    .string({ error: missing })
    .check(z.refine((text) => areNetworks(networksIn(text)), { error: 'networks_invalid' })),
  /** Empty unless the form asks for it. */
  key_password: z.string({ error: missing }),
});

/** The request for a form, as typed. */
export const keyRequestOf = (form: Readonly<Record<keyof z.input<typeof keyForm>, string>>) => ({
  name: form.key_name,
  max_uses: Number(form.key_uses),
  days: Number(form.key_days),
  tags: tagsIn(form.key_tags),
  networks: networksIn(form.key_networks),
  password: form.key_password || undefined,
});

/** Why a key no longer works, or that it does. */
export const keyStates = ['valid', 'revoked', 'expired', 'used_up'] as const;

const shown = {
  id: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  networks: z.array(z.string()),
  max_uses: z.number(),
  uses: z.number(),
  state: z.enum(keyStates),
  created_at: z.string(),
  expires_at: z.string(),
  last_used_at: z.nullable(z.string()),
};

const enrolmentKey = named('EnrolmentKey', z.object(shown));

export const listEnrolmentKeys = endpoint({
  route: 'GET /account/enrolment-keys',
  summary: 'List the keys that add computers; also those that stopped working in the last 30 days',
  auth: 'bearer',
  response: z.object({ keys: z.array(enrolmentKey) }),
});

export const createEnrolmentKey = endpoint({
  route: 'POST /account/enrolment-keys',
  summary: 'Create a key that adds several computers',
  auth: 'bearer',
  sensitive: 'or_password',
  body: z.object({
    /** A recent session needs no password; an older one without it gets the field code `password_required`. */
    password: z.optional(password),
    name,
    max_uses: between1And(maxUses),
    days: between1And(longestDays),
    tags: z._default(tags, []),
    networks: z._default(networks, []),
  }),
  status: 201,
  response: z.object({
    /** Shown only now: we store its hash. */
    secret: z.string(),
    key: enrolmentKey,
    /** Commands for scripts: they change nothing on a computer that was already added. */
    commands,
  }),
  failures: ['incorrect_password', 'too_many_attempts', 'too_many_requests', 'key_limit_reached'],
  fieldCodes: ['password_required'],
});

export const revokeEnrolmentKey = endpoint({
  route: 'DELETE /account/enrolment-keys/:id',
  summary: 'Revoke a key; the computers that it added stay',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  failures: ['not_found'],
});
