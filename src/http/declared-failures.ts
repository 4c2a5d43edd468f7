import type { Endpoint } from '../contract/endpoint.ts';
import { Failure } from '../contract/failures.ts';
import { fieldCodesOf } from '../contract/fields/field-codes.ts';

/**
 * Wraps a handler so that it can refuse only as its contract declares: pages have no text for other failures, and the
 * OpenAPI document does not list them. An undeclared failure becomes an internal error, and fails the test run.
 */
export function requireDeclaredFailures<Context, Result>(
  endpoint: Endpoint,
  { NODE_ENV }: { readonly NODE_ENV: string },
  handle: (context: Context) => Promise<Result> | Result,
): (context: Context) => Promise<Result> {
  const fieldCodes = new Set<string>(fieldCodesOf(endpoint));

  function undeclaredIn({ code, detail }: Failure): string[] {
    const fields = (detail.fields ?? []).filter((refused) => !fieldCodes.has(refused.code));
    return [
      ...(Object.hasOwn(endpoint.failures, code) ? [] : [code]),
      ...fields.map((refused) => `${refused.field} ${refused.code}`),
    ];
  }

  return async (context) => {
    try {
      return await handle(context);
    } catch (thrown) {
      const undeclared = thrown instanceof Failure ? undeclaredIn(thrown) : [];
      if (undeclared.length === 0) throw thrown;
      const names = undeclared.join(', ');
      const error = new Error(`${endpoint.method} ${endpoint.path} does not declare ${names}`, { cause: thrown });
      // Vitest reports an unhandled rejection as an error.
      if (NODE_ENV === 'test') void Promise.reject(error);
      throw error;
    }
  };
}
