import * as z from 'zod/mini';
import type { FieldFailure } from '../../contract/failures.ts';
import { fieldFailures } from '../../contract/fields/field-failures.ts';

// zod would compile its checks with `eval`, which the content security policy forbids and reports.
z.config({ jitless: true });

/** What is wrong with a form, by the same schema that the server uses. Loaded when somebody begins to fill it in. */
export function checkForm(schema: z.ZodMiniType, body: unknown): FieldFailure[] {
  const result = schema.safeParse(body);
  return result.success ? [] : fieldFailures(result.error.issues);
}
