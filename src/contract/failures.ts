import type { ConfirmationWay } from './call-ways.ts';
import type { SecondStepWay, StepUpWay } from './sign-in/sign-in-methods.ts';

/**
 * Every failure that can refuse a request, and its HTTP status. A code is stable: it is the key of the localized
 * message `failure.<code>`, and a code without a message does not compile (`messages/proofs.ts`).
 */
export const failures = {
  malformed_request: 400,
  not_signed_in: 401,
  session_ended: 401,
  incorrect_login_or_password: 401,
  account_not_found: 401,
  incorrect_password: 401,
  /** The first factor was right: the browser now has the cookie of a pending sign-in. */
  second_step_required: 401,
  /** The last proof of identity is too old for a sensitive request (RFC 9470). */
  step_up_required: 401,
  passkey_unknown: 401,
  passkey_refused: 401,
  csrf_failed: 403,
  network_not_allowed: 403,
  /** The role of the operator or key does not allow it. */
  role_insufficient: 403,
  not_found: 404,
  /** Another method of the same address exists. */
  method_not_allowed: 405,
  account_exists: 409,
  number_in_use: 409,
  computer_limit_reached: 409,
  key_limit_reached: 409,
  alarm_limit_reached: 409,
  reported_by_others: 409,
  passkey_exists: 409,
  /** A request with the same idempotency key has made the change, and its response is not known. */
  already_done: 409,
  last_owner: 409,
  /** An application from CLIENTS_FILE, or a receiver from WEBHOOKS_FILE, which changes there. */
  from_file: 409,
  /** An application or a receiver has two secrets already. */
  secret_limit_reached: 409,
  promo_code_exists: 409,
  webhook_exists: 409,
  webhook_limit_reached: 409,
  /** Without it, the owner could not sign in. */
  last_way_in: 409,
  reset_link_invalid: 410,
  enrolment_invalid: 410,
  enrolment_key_revoked: 410,
  enrolment_key_expired: 410,
  enrolment_key_used_up: 410,
  invitation_invalid: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  call_expired: 410,
  code_expired: 410,
  device_code_unknown: 410,
  challenge_expired: 410,
  sign_in_expired: 410,
  confirmation_link_expired: 410,
  validation_failed: 422,
  idempotency_key_reused: 422,
  phone_invalid: 422,
  digits_incorrect: 422,
  code_incorrect: 422,
  email_cannot_be_used: 422,
  place_not_allowed: 422,
  too_many_attempts: 429,
  too_many_requests: 429,
  too_many_calls: 429,
  too_many_mails: 429,
  server_error: 500,
  call_failed: 503,
  try_again_later: 503,
} as const;

export type FailureCode = keyof typeof failures;

/** Failures that only programs get, so pages have no text for them. */
export type ProgramFailureCode =
  | 'enrolment_invalid'
  | 'enrolment_key_revoked'
  | 'enrolment_key_expired'
  | 'enrolment_key_used_up'
  | 'network_not_allowed'
  | 'method_not_allowed'
  | 'reported_by_others'
  | 'role_insufficient'
  | 'already_done'
  | 'promo_code_exists'
  | 'webhook_exists'
  | 'webhook_limit_reached'
  | 'from_file'
  | 'secret_limit_reached'
  | 'invitation_invalid'
  | 'idempotency_key_reused';

/** Why a field was refused: the key of the localized message `invalid.<code>`. */
export const fieldCodes = [
  'required',
  'email_required',
  'password_required',
  'email_invalid',
  'email_unchanged',
  'too_long',
  'too_short',
  'digits_only',
  'password_too_short',
  'password_too_long',
  'password_common',
  'passwords_differ',
  'phone_invalid',
  'phone_not_confirmed',
  'digits_four',
  'code_six',
  'inn_invalid',
  'promo_code_unknown',
  'consent_required',
  'tags_invalid',
  'networks_invalid',
  'url_invalid',
  'uri_invalid',
  'uri_insecure',
  'number_invalid',
  'note_too_long',
  'not_understood',
] as const;

export type FieldCode = (typeof fieldCodes)[number];

/** Why a session could not be refreshed (contract: `POST /auth/refresh`): `session_ended.<reason>`. */
export const endReasons = [
  'no_session',
  'expired',
  'signed_out',
  'ended_elsewhere',
  'email_undone',
  'password_changed',
  'reused',
] as const;

export type EndReason = (typeof endReasons)[number];

export interface FieldFailure {
  readonly field: string;
  readonly code: FieldCode;
  readonly params?: Readonly<Record<string, number>>;
}

/** What a problem document says besides its code. */
export interface ProblemDetail {
  readonly fields?: readonly FieldFailure[];
  /** Whole minutes until the same request may succeed; never 0. */
  readonly minutes?: number;
  readonly reason?: EndReason;
  /** For the digits of a call, or another code. */
  readonly attempts_left?: number;
  /** The limit that was reached, such as the number of computers that an account may have. */
  readonly limit?: number;
  /** The link was used, or the account has changed since; otherwise it has expired or never existed. */
  readonly used?: true;
  /** Methods that can continue: to confirm the same number, to complete a sign-in, or for a step-up. */
  readonly ways?: readonly (ConfirmationWay | SecondStepWay | StepUpWay)[];
  /** A passkey that no account has, which the page signals to the browser. */
  readonly rp_id?: string;
  readonly credential_id?: string;
  /** A task whose solution puts the request before others, for a browser that is ready for one. */
  readonly task?: string;
}

export interface FailureDetail extends ProblemDetail {
  /** For lack of room or after a long wait; other refusals with the same code have other causes. */
  readonly isCrowded?: true;
  /** The status of this endpoint, if it differs from that of the code elsewhere. */
  readonly status?: number;
  /** Whole seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
  /** For the log only: the account and session that the request concerns. */
  readonly about?: { readonly account?: string | undefined; readonly session?: string | undefined };
  /** For the log only. */
  readonly cause?: unknown;
}

/** Thrown by a decision that refuses a request; becomes an RFC 9457 problem document at the edge. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly detail: FailureDetail;
  constructor(code: FailureCode, detail: FailureDetail = {}) {
    super(code, detail.cause === undefined ? {} : { cause: detail.cause });
    this.name = 'Failure';
    this.code = code;
    this.detail = detail;
  }
  get status(): number {
    return this.detail.status ?? failures[this.code];
  }
}

/** The body of a failed request (RFC 9457, media type `application/problem+json`). */
export interface Problem extends ProblemDetail {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: FailureCode;
}

/** Placeholder for a failure's reference in the HTML of `error` and `not-found`, which the server fills in. */
export const referencePlaceholder = '%REFERENCE%';

/** An endpoint that can be refused with these codes, for decisions that several endpoints share. */
export interface Refusing<Code extends FailureCode> {
  readonly failures: Readonly<Record<Code, number>>;
}

/** Refuses a request: `throw refuse(login, 'too_many_attempts', { … })`. Codes outside its contract do not compile. */
export const refuse = <E extends Refusing<never>>(
  endpoint: E,
  code: keyof E['failures'] & FailureCode,
  detail?: FailureDetail,
): Failure => {
  const status = (endpoint.failures as Readonly<Partial<Record<FailureCode, number>>>)[code];
  return new Failure(code, status === undefined || status === failures[code] ? detail : { ...detail, status });
};

interface RefusingFields {
  readonly fieldCodes: readonly FieldCode[];
}

interface RefusedField<E extends RefusingFields> {
  readonly field: string;
  /** One that the contract leaves to the server. */
  readonly code: E['fieldCodes'][number];
  readonly params?: Readonly<Record<string, number>>;
}

/** Refuses a request for some of its fields. */
export const refuseFields = <E extends RefusingFields>(_endpoint: E, refused: readonly RefusedField<E>[]): Failure =>
  new Failure('validation_failed', { fields: refused });

export const refuseField = <E extends RefusingFields>(endpoint: E, refused: RefusedField<E>): Failure =>
  refuseFields(endpoint, [refused]);

type TooMany = Extract<FailureCode, `too_many_${string}`>;

/** A reached rate limit or lockout, with the wait in milliseconds. */
interface Reached extends Pick<FailureDetail, 'ways' | 'about'> {
  readonly wait: number;
}

/**
 * Refuses a request because of a rate limit or lockout. Rounds up the wait: whole minutes for people, never 0, and
 * seconds for programs.
 */
export function tooMuch<E extends Refusing<never>>(
  endpoint: E,
  code: keyof E['failures'] & TooMany,
  reached: number | Reached,
): Failure {
  const { wait, ...detail } = typeof reached === 'number' ? { wait: reached } : reached;
  return refuse(endpoint, code, {
    ...detail,
    minutes: Math.max(1, Math.ceil(wait / 60_000)),
    retryAfter: Math.max(1, Math.ceil(wait / 1000)),
  });
}
