import { Failure, type FailureCode } from '../../contract/failures.ts';
import type { SecondStepWay } from '../../contract/sign-in/sign-in-methods.ts';
import type { Service } from '../../server/service.ts';

/** Refusals that are a result of the attempt; an outage or a locked account says nothing about the factor. */
const resultOf = {
  code_incorrect: 'failed',
  passkey_refused: 'failed',
  too_many_attempts: 'limited',
  too_many_requests: 'limited',
  sign_in_expired: 'expired',
  challenge_expired: 'expired',
} as const satisfies Partial<Record<FailureCode, string>>;

/** Counts the result of a second step for Prometheus. */
export async function measured<Result>(
  { metrics }: Pick<Service, 'metrics'>,
  method: SecondStepWay,
  complete: () => Promise<Result>,
): Promise<Result> {
  try {
    const completed = await complete();
    metrics?.secondStep({ method, result: 'succeeded' });
    return completed;
  } catch (error) {
    const result = error instanceof Failure && resultOf[error.code as keyof typeof resultOf];
    if (result) metrics?.secondStep({ method, result });
    throw error;
  }
}
