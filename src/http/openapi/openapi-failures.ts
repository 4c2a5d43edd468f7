import { confirmationWays } from '../../contract/call-ways.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { endReasons, type FailureCode, failures, type Problem } from '../../contract/failures.ts';
import { fieldCodesOf } from '../../contract/fields/field-codes.ts';
import { secondStepWays, stepUpWays } from '../../contract/sign-in/sign-in-methods.ts';

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
  content: { 'application/problem+json': { schema: problem(endpoint, status, codes) } },
});

const retryAfter = (description: string) => ({ description, schema: { type: 'integer', minimum: 1 } });

function headersOf({ auth, failures: codes }: Endpoint, status: number) {
  if (status === 401)
    return {
      headers: {
        'WWW-Authenticate': {
          ...(codes.step_up_required && {
            description: 'With `error="insufficient_user_authentication"` (RFC 9470) for `step_up_required`.',
          }),
          schema: codes.step_up_required ? { type: 'string' } : { const: 'Bearer' },
        },
        ...(auth === 'device' && {
          'Retry-After': retryAfter('Seconds; only while the deletion of the account is planned.'),
        }),
      },
    };
  return status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfter('Seconds.') } } : {};
}

function problem(endpoint: Endpoint, status: number, codes: readonly FailureCode[]) {
  const carried = Object.entries(details(endpoint)).filter(([, { by }]) => by.some((code) => codes.includes(code)));
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { enum: codes.map((code) => `urn:vestibule:${code}`) },
      title: { type: 'string', description: 'English, for logs.' },
      status: { const: status },
      code: { enum: codes, description: 'Stable; the key of a localized message.' },
      ...Object.fromEntries(carried.map(([name, { schema }]) => [name, schema])),
    },
  };
}

interface Detail {
  /** Codes of the failures that carry it. */
  readonly by: readonly FailureCode[];
  readonly schema: object;
}

/** Fields of a problem document besides its code. */
const details = (endpoint: Endpoint): Record<Exclude<keyof Problem, 'type' | 'title' | 'status' | 'code'>, Detail> => ({
  fields: {
    by: ['validation_failed'],
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'code'],
        properties: {
          field: { type: 'string' },
          code: { enum: fieldCodesOf(endpoint) },
          params: { type: 'object', additionalProperties: { type: 'number' } },
        },
      },
    },
  },
  minutes: {
    by: Object.keys(failures).filter((code): code is FailureCode => failures[code as FailureCode] === 429),
    schema: { type: 'integer', minimum: 1, description: 'Whole minutes until the same request may succeed.' },
  },
  reason: { by: ['session_ended'], schema: { enum: endReasons } },
  ways: {
    by: [
      ...['too_many_calls', 'number_in_use', 'call_failed', 'phone_invalid'],
      ...['second_step_required', 'step_up_required'],
    ] as FailureCode[],
    schema: {
      type: 'array',
      items: { enum: [...new Set([...confirmationWays, ...secondStepWays, ...stepUpWays])] },
      description: 'Methods that can continue: to confirm the same number, to complete the sign-in, or for a step-up.',
    },
  },
  used: {
    by: ['reset_link_invalid', 'confirmation_link_expired'],
    schema: { const: true, description: 'The link was used, or the account has changed since it was sent.' },
  },
  attempts_left: { by: ['digits_incorrect', 'code_incorrect'], schema: { type: 'integer', minimum: 0 } },
  limit: {
    by: ['computer_limit_reached'],
    schema: { type: 'integer', minimum: 1, description: 'How many an account may have.' },
  },
  task: {
    by: ['try_again_later'],
    schema: {
      type: 'string',
      description: 'Only for requests with `X-Proof-Of-Work`: a task whose solution puts the request before others.',
    },
  },
  rp_id: {
    by: ['passkey_unknown'],
    schema: { type: 'string', description: 'With `credential_id`, for the browser’s `signalUnknownCredential`.' },
  },
  credential_id: { by: ['passkey_unknown'], schema: { type: 'string', description: 'Base64url.' } },
});
