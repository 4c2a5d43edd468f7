import * as z from 'zod/mini';
import { type FailureCode, type FieldCode, failures } from './failures.ts';
import type { OperatorRole } from './operators.ts';
import { minutes } from './units.ts';

type Schema = z.ZodMiniType;
/** A body with a new password depends on the operator's minimum length. */
type BodySchema = Schema | ((passwordMinLength: number) => Schema);

/** The principals that an endpoint can require. */
export type Auth = 'bearer' | 'device' | 'operator';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Declared {
  /** Method and path, in which parameters begin with a colon: `PATCH /computers/:id`. */
  readonly route: `${Method} /${string}`;
  /** Its purpose in a few English words, for the OpenAPI document. */
  readonly summary: string;
  readonly body?: BodySchema;
  /** Bytes that the body may have, if more than usual (`http/incoming/bodies.ts`). */
  readonly bodyLimit?: number;
  readonly query?: Schema;
  /** Schema of the path's parameters, which are strings. */
  readonly params?: Schema;
  /** Status of success: 200 with a `response`, and 204 without one, unless it is named. */
  readonly status?: 200 | 201 | 202 | 204 | 302;
  /** Schema of the body of a successful response. */
  readonly response?: Schema;
  /**
   * `bearer` requires `Authorization: Bearer <access token>`, `device` a computer's token instead of that one, and
   * `operator` an access token of an operator or a key for the management API. Only
   * `bearer` can be `sensitive`, and only its GET responses are compressed (`http/mount.ts`).
   */
  readonly auth?: Auth;
  /** The least role of an operator or key, for `auth: 'operator'`. */
  readonly role?: OperatorRole;
  /** A POST of operators that only reads: a repetition reads again, and no personal data waits for one. */
  readonly readsOnly?: true;
  /**
   * Needs a sign-in or a step-up in the last 15 minutes (RFC 9470), with two factors if the account has a second step.
   * `or_password`: the decision verifies the request's own password instead, if the account has no second step.
   */
  readonly sensitive?: true | 'or_password';
  /** Under a flood, browsers without a device cookie solve a task for it (`proof-of-work.ts`). */
  readonly provesWork?: true;
  /** Sent by a program without cookies, so no page can forge it: needs no CSRF token. */
  readonly from?: 'computer';
  /** Its own failures, in addition to those of every request of its shape. */
  readonly failures?: readonly FailureCode[];
  /** Statuses of failures that have another one elsewhere (`failures.ts`). */
  readonly statuses?: Readonly<Partial<Record<FailureCode, number>>>;
  /** Codes that only the server can find; those of the schemas are derived from them (`field-codes.ts`). */
  readonly fieldCodes?: readonly FieldCode[];
}

/** An endpoint that the server mounts, the browser calls and the OpenAPI document describes. */
export interface Endpoint extends Omit<Declared, 'route' | 'failures' | 'statuses'> {
  readonly method: Method;
  readonly path: string;
  readonly status: NonNullable<Declared['status']>;
  /** Every failure that can refuse a request, and its status. */
  readonly failures: Readonly<Partial<Record<FailureCode, number>>>;
  readonly fieldCodes: readonly FieldCode[];
}

// Two `Host` headers are a malformed request wherever they are sent.
const ofAll = ['malformed_request', 'try_again_later', 'server_error'] as const;
const ofBodies = ['payload_too_large', 'unsupported_media_type'] as const;
const ofBrowsers = ['csrf_failed'] as const;
const ofSignedIn = ['not_signed_in'] as const;
const ofSensitive = ['step_up_required'] as const;
const ofRead = ['validation_failed'] as const;
const ofOperators = ['step_up_required', 'role_insufficient', 'not_found'] as const;
/** POST requests of operators may have an `Idempotency-Key`. */
const ofRepeatable = ['already_done', 'idempotency_key_reused'] as const;

/** Failures that follow from the shape of a request, not from its purpose. */
export const shapeFailures: readonly FailureCode[] = [...ofAll, ...ofBodies, ...ofBrowsers, ...ofSignedIn, ...ofRead];

type Reads = { readonly body: BodySchema } | { readonly query: Schema } | { readonly params: Schema };

interface ByGet {
  readonly route: `GET ${string}`;
}

type CodesOf<D> =
  | (typeof ofAll)[number]
  | (D extends ByGet ? never : (typeof ofBodies)[number])
  | (D extends ByGet | { readonly from: string } ? never : (typeof ofBrowsers)[number])
  | (D extends { readonly auth: string } ? (typeof ofSignedIn)[number] : never)
  | (D extends { readonly sensitive: true | 'or_password' } ? (typeof ofSensitive)[number] : never)
  | (D extends { readonly auth: 'operator' } ? (typeof ofOperators)[number] : never)
  | (D extends { readonly auth: 'operator'; readonly route: `POST ${string}` } ? (typeof ofRepeatable)[number] : never)
  | (D extends Reads ? (typeof ofRead)[number] : never)
  | (D extends { readonly failures: readonly (infer Own extends FailureCode)[] } ? Own : never);

type Complete<D> = Omit<D, 'route' | 'failures' | 'statuses' | 'fieldCodes' | 'status'> & {
  readonly method: D extends { readonly route: `${infer Given extends Method} ${string}` } ? Given : Method;
  readonly path: D extends { readonly route: `${Method} ${infer Path}` } ? Path : string;
  readonly status: Endpoint['status'];
  readonly failures: { readonly [Code in CodesOf<D>]: (typeof failures)[Code] };
  readonly fieldCodes: readonly (D extends { readonly fieldCodes: readonly (infer Code extends FieldCode)[] }
    ? Code
    : never)[];
};

/** Options that `mountOn` ignores beside the others. */
type WithoutEffect<D> =
  | (D extends { readonly auth: 'bearer' } ? never : 'sensitive')
  | (D extends { readonly auth: 'operator' } ? never : 'role' | 'readsOnly')
  | (D extends ByGet ? 'body' | 'bodyLimit' | 'from' : never)
  | (D extends { readonly route: `${string}:${string}` } ? never : 'params')
  | (D extends { readonly status: 204 | 302 } ? 'response' : never);

/** Rejects misspelled properties, which the compiler would ignore as `Declared` has optional ones, and options without effect. */
type Only<D> = { readonly [Name in Exclude<keyof D, keyof Declared> | WithoutEffect<D>]?: never };

/** Declares an endpoint, keeps its types, and adds the failures that follow from its shape. */
export function endpoint<const D extends Declared>(declared: D & Only<D>): Complete<D> {
  const { route, statuses, status = declared.response ? 200 : 204, ...described }: Declared = declared;
  const [method, path] = route.split(' ');
  const { auth, sensitive, from, body, query, params, failures: own = [], fieldCodes = [] } = described;
  const codes: FailureCode[] = [
    ...own,
    ...(method === 'GET' || from ? [] : ofBrowsers),
    ...(method === 'GET' ? [] : ofBodies),
    ...(auth ? ofSignedIn : []),
    ...(sensitive ? ofSensitive : []),
    ...(auth === 'operator' ? ofOperators : []),
    ...(auth === 'operator' && method === 'POST' ? ofRepeatable : []),
    ...(body || query || params ? ofRead : []),
    ...ofAll,
  ];
  const known = Object.fromEntries(codes.map((code) => [code, statuses?.[code] ?? failures[code]]));
  // An owner can require a reason (CONSOLE_REASONS).
  const ofReasons: readonly FieldCode[] = auth === 'operator' && method !== 'GET' ? ['required'] : [];
  const allFieldCodes = [...new Set([...fieldCodes, ...ofReasons])];
  return { ...described, method, path, status, failures: known, fieldCodes: allFieldCodes } as unknown as Complete<D>;
}

export const bodyOf = ({ body }: Pick<Endpoint, 'body'>, passwordMinLength: number): Schema | undefined =>
  typeof body === 'function' ? body(passwordMinLength) : body;

type SchemaOf<S> = S extends (passwordMinLength: number) => infer Made ? Made : S;
type In<S> = SchemaOf<S> extends infer Made extends Schema ? z.input<Made> : undefined;
type Out<S> = SchemaOf<S> extends infer Made extends Schema ? z.output<Made> : undefined;

/** What a client sends, what the server reads, and what a response contains. */
export type BodySent<E> = E extends { readonly body: infer S } ? In<S> : undefined;
export type BodyRead<E> = E extends { readonly body: infer S } ? Out<S> : undefined;
export type QuerySent<E> = E extends { readonly query: infer S } ? In<S> : undefined;
export type QueryRead<E> = E extends { readonly query: infer S } ? Out<S> : undefined;
export type ParamsRead<E> = E extends { readonly params: infer S } ? Out<S> : undefined;
export type ResponseBody<E> = E extends { readonly response: infer S } ? Out<S> : undefined;

/** What the OpenAPI document says about a schema besides its rules; with an `id`, it describes the schema once. */
export const components = z.registry<Readonly<Record<string, unknown>>>();

/** Names a schema in the OpenAPI document. */
export function named<S extends Schema>(id: string, schema: S): S {
  components.add(schema, { id });
  return schema;
}

/** How long a client whose response was lost may repeat a request; later, its user signs in. */
export const repeatedWithin = minutes(10);

/**
 * A random key for one operation. A client that got no response repeats the request with the same key, and then gets
 * the same response. The key is a secret of that client.
 */
export const idempotencyKey = z.optional(
  z.string({ error: 'not_understood' }).check(z.regex(/^[\w-]{22,64}$/, 'not_understood')),
);

/** Where a page of a long list begins: the `next` of the page before. */
export const position = z
  .string({ error: 'not_understood' })
  .check(z.regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, { error: 'not_understood' }));

/** How many entries a page of a long list may have. */
export const pageLimit = ({ usual, max }: { readonly usual: number; readonly max: number }) =>
  z
    .pipe(
      z._default(z.string({ error: 'digits_only' }), String(usual)).check(z.regex(/^\d+$/, { error: 'digits_only' })),
      z.pipe(
        z.transform(Number),
        z.number().check(z.refine((count) => count >= 1 && count <= max, { error: 'not_understood' })),
      ),
    )
    .register(components, { type: 'integer', minimum: 1, maximum: max, default: usual });

const longest = 100;
/** PostgreSQL rejects text with this character. */
const nul = '\0';

/** An id of ours in a URL. A value that cannot be ours becomes empty, which matches nothing. */
export const ownId = z.catch(
  z.string().check(
    z.maxLength(longest),
    z.refine((text) => !text.includes(nul)),
  ),
  '',
);
