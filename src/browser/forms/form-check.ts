import * as z from 'zod/mini';
import type { FieldFailure } from '../../contract/failures.ts';
import { fieldFailures } from '../../contract/fields/field-codes.ts';

// zod's JIT uses `eval`, which the Content-Security-Policy forbids and reports.
z.config({ jitless: true });

/** Validates a form with the schema that the server also uses. Loaded when the user starts to fill in the form. */
export function checkForm(schema: z.ZodMiniType, body: unknown): FieldFailure[] {
  const result = schema.safeParse(body);
  return result.success ? [] : fieldFailures(result.error.issues);
}
