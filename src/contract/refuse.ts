import { Failure, type FailureCode, type FailureDetail, type FieldCode, failures } from './failures.ts';

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

/** Refuses a request for one of its fields. */
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
