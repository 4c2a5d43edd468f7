import { Failure, type FailureCode, type FailureDetail, type FieldCode } from './failures.ts';

/** An endpoint that can be refused with these codes: what a decision takes that several endpoints share. */
export interface Refusing<Code extends FailureCode> {
  readonly failures: Readonly<Record<Code, number>>;
}

/** Refuses a request: `throw refuse(login, 'too_many_attempts', { … })`. A code that its contract does not have does not compile. */
export const refuse = <E extends Refusing<never>>(
  _endpoint: E,
  code: keyof E['failures'] & FailureCode,
  detail?: FailureDetail,
): Failure => new Failure(code, detail);

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

/** A rate limit or lockout that is reached, with the wait in milliseconds. */
interface Reached extends Pick<FailureDetail, 'ways' | 'about'> {
  readonly wait: number;
}

/** Refuses a request until a rate limit or lockout opens: whole minutes for a person, never 0, and seconds for a program. */
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
