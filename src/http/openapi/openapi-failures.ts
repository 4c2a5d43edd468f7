import { confirmationWays } from '../../contract/call-ways.ts';
import { bodyOf, type Endpoint } from '../../contract/endpoint.ts';
import { endReasons, type FailureCode, failures, fieldCodes, type ProblemDetail } from '../../contract/failures.ts';
import { fieldCodesOf } from '../../contract/fields/field-codes.ts';
import { passwordMinLength } from '../../contract/fields/field-sizes.ts';
import { secondStepWays, stepUpWays } from '../../contract/sign-in/sign-in-methods.ts';
import { titleOf } from '../problems.ts';
import { glossary } from './glossary.ts';
import type { Schemas } from './schemas.ts';

const codesOfStatus = (status: number): FailureCode[] =>
  (Object.keys(failures) as FailureCode[]).filter((code) => failures[code] === status);

interface Detail {
  /** Codes of the failures that carry it. */
  readonly by: readonly FailureCode[];
  readonly schema: object;
}

/** Properties of a problem document besides its code. */
const details: Readonly<Record<keyof ProblemDetail, Detail>> = {
  fields: {
    by: ['validation_failed'],
    schema: { type: 'array', items: { $ref: '#/components/schemas/RefusedField' } },
  },
  minutes: { by: codesOfStatus(429), schema: { type: 'integer', minimum: 1 } },
  reason: { by: ['session_ended'], schema: { enum: endReasons } },
  ways: {
    by: [
      ...(['too_many_calls', 'number_in_use', 'call_failed', 'phone_invalid'] as const),
      ...(['second_step_required', 'step_up_required'] as const),
    ],
    schema: { type: 'array', items: { enum: [...new Set([...confirmationWays, ...secondStepWays, ...stepUpWays])] } },
  },
  used: { by: ['reset_link_invalid', 'confirmation_link_expired'], schema: { const: true } },
  attempts_left: { by: ['digits_incorrect', 'code_incorrect'], schema: { type: 'integer', minimum: 0 } },
  limit: { by: ['computer_limit_reached', 'alarm_limit_reached'], schema: { type: 'integer', minimum: 1 } },
  task: { by: ['try_again_later'], schema: { type: 'string' } },
  rp_id: { by: ['passkey_unknown'], schema: { type: 'string' } },
  credential_id: { by: ['passkey_unknown'], schema: { type: 'string' } },
};

/** Adds the components that every failure refers to. */
export function addProblems({ add }: Schemas): void {
  add('RefusedField', {
    type: 'object',
    required: ['field', 'code'],
    properties: {
      field: { type: 'string' },
      code: { type: 'string', enum: fieldCodes },
      params: { type: 'object', additionalProperties: { type: 'number' } },
    },
  });
  add('Problem', {
    type: 'object',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { type: 'string', enum: Object.keys(failures) },
      ...Object.fromEntries(Object.entries(details).map(([name, { schema }]) => [name, schema])),
    },
  });
}

/** Every failure of an endpoint, by its status. */
export function failureResponses(endpoint: Endpoint): Record<string, object> {
  const codes = Object.keys(endpoint.failures) as FailureCode[];
  const byStatus = Object.groupBy(codes, (code) => endpoint.failures[code] as number);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group = []]) => [status, response(endpoint, Number(status), group)]),
  );
}

const response = (endpoint: Endpoint, status: number, codes: readonly FailureCode[]) => ({
  description: codes.map((code) => `\`${code}\``).join(', '),
  ...headersOf(endpoint, status),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Problem' },
          {
            type: 'object',
            properties: {
              status: { const: status, description: said('status') },
              code: { enum: codes, description: said('code') },
              ...(codes.includes('validation_failed') &&
                fieldCodesOf(endpoint).length > 0 && { fields: fieldsOf(endpoint) }),
            },
          },
        ],
      },
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(endpoint, status, code) }])),
    },
  },
});

const entryOf = (name: string) => glossary[`Problem.${name}`] ?? glossary[name];
const said = (name: string) => entryOf(name)?.[0];

const fieldsOf = (endpoint: Endpoint) => ({
  description: said('fields'),
  items: {
    allOf: [
      { $ref: '#/components/schemas/RefusedField' },
      {
        type: 'object',
        properties: { code: { enum: fieldCodesOf(endpoint), description: glossary['RefusedField.code']?.[0] } },
      },
    ],
  },
});

function exampleOf(endpoint: Endpoint, status: number, code: FailureCode): object {
  const carried = Object.entries(details).filter(([name, { by }]) => by.includes(code) && !rare.has(name));
  return {
    type: `urn:vestibule:${code}`,
    title: titleOf(code),
    status,
    code,
    ...Object.fromEntries(
      carried.map(([name]) => [name, name === 'fields' ? [exampleField(endpoint)] : entryOf(name)?.[1]]),
    ),
  };
}

/** Properties that most of their failures do not have. */
const rare: ReadonlySet<string> = new Set(['task', 'used']);

function exampleField(endpoint: Endpoint): object {
  const [schema] = [bodyOf(endpoint, passwordMinLength), endpoint.query, endpoint.params].filter(
    (one) => one !== undefined,
  );
  const { shape = {} } = (schema?._zod.def ?? {}) as { readonly shape?: object };
  const [code = 'not_understood'] = fieldCodesOf(endpoint);
  return { field: Object.keys(shape)[0] ?? '', code };
}

const seconds = (description: string) => ({ description, schema: { type: 'integer', minimum: 1 } });

function headersOf({ auth, failures: codes }: Endpoint, status: number) {
  if (status === 401)
    return {
      headers: {
        'WWW-Authenticate': {
          description: codes.step_up_required
            ? '`Bearer`; for `step_up_required` with `error="insufficient_user_authentication"` and `max_age` (RFC 9470).'
            : 'RFC 6750.',
          schema: codes.step_up_required ? { type: 'string' } : { const: 'Bearer' },
        },
        ...(auth === 'device' && {
          'Retry-After': seconds('Seconds; only while the deletion of the account is planned.'),
        }),
      },
    };
  if (status === 503) return { headers: { 'Retry-After': seconds('Seconds.') } };
  const rateLimit = {
    description: 'What is left, `r=0`, and the seconds until more is, `t` (draft-ietf-httpapi-ratelimit-headers-11).',
    schema: { type: 'string', examples: ['"too_many_requests";r=0;t=60'] },
  };
  return status === 429 ? { headers: { 'Retry-After': seconds('Seconds.'), RateLimit: rateLimit } } : {};
}
