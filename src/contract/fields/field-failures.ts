import type { FieldCode, FieldFailure } from '../failures.ts';

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly params?: unknown;
}

/** One failure per field, in the order of the schema: the first problem of each. */
export function fieldFailures(issues: readonly Issue[]): FieldFailure[] {
  const first = new Map<string, FieldFailure>();
  for (const issue of issues) {
    const field = issue.path.map(String).join('.');
    if (first.has(field)) continue;
    const failure = { field, code: issue.message as FieldCode };
    first.set(field, issue.params ? { ...failure, params: issue.params as Record<string, number> } : failure);
  }
  return [...first.values()];
}
