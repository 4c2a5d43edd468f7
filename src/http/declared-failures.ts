import type { Endpoint } from '../contract/endpoint.ts';
import { Failure } from '../contract/failures.ts';
import { fieldCodesOf } from '../contract/fields/field-codes.ts';

/**
 * A handler that refuses only as its contract declares: for anything else no page would have words, and no document
 * would tell of it, so that is a fault of ours. A test run fails for it.
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
      const fault = new Error(`${endpoint.method} ${endpoint.path} does not declare ${names}`, { cause: thrown });
      // Nobody takes it: Vitest reports that as an error of its own.
      if (NODE_ENV === 'test') void Promise.reject(fault);
      throw fault;
    }
  };
}
