import type * as z from 'zod/mini';
import { bodyOf, type Endpoint } from '../endpoint.ts';
import type { FieldCode, FieldFailure } from '../failures.ts';
import { passwordMinLength } from './field-sizes.ts';

type Schema = z.ZodMiniType;

/** The parts of zod's definitions that we traverse; each kind has some of them. */
interface Definition {
  readonly type: string;
  readonly error?: (issue: { input: unknown }) => string | undefined;
  readonly checks?: readonly Check[];
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly options?: readonly Schema[];
}

interface Check {
  /** The codes that `must` records. */
  readonly codes?: readonly FieldCode[];
  readonly _zod: { readonly def: Pick<Definition, 'error'> };
}

/** Wrong inputs that can reach a schema. */
type Wrong = readonly unknown[];
const anything: Wrong = [undefined, null, Number.NaN];
const without = (wrong: Wrong, ...kept: unknown[]): Wrong => wrong.filter((input) => !kept.includes(input));

/**
 * Every code that can refuse a field of an endpoint: those of the schemas, and those that only the server can find.
 * Throws for a field without a code.
 */
export function fieldCodesOf(endpoint: Endpoint): readonly FieldCode[] {
  const schemas = [bodyOf(endpoint, passwordMinLength), endpoint.query, endpoint.params];
  const found = schemas.flatMap((schema) => (schema ? codesOf(schema, endpoint.path) : []));
  return [...new Set([...found, ...endpoint.fieldCodes])];
}

/** The codes of an object's fields. A wrong object itself is `malformed_request`. */
function codesOf(schema: Schema, where: string): FieldCode[] {
  const { shape = {}, checks } = definitionOf(schema);
  const fields = Object.entries(shape).flatMap(([name, field]) => ofField(field, anything, `${where} ${name}`));
  return [...fields, ...ofChecks(checks)];
}

const definitionOf = (schema: Schema) => schema._zod.def as unknown as Definition;

function ofField(schema: Schema, wrong: Wrong, where: string): FieldCode[] {
  const { type, error, checks, innerType, in: from, element, shape = {}, options = [], out } = definitionOf(schema);
  const inside = (inner: Schema, reaching = anything) => ofField(inner, reaching, where);
  const own = wrong.flatMap((input) => (error?.({ input }) as FieldCode | undefined) ?? []);
  switch (type) {
    case 'catch':
    case 'transform':
      return [];
    case 'optional':
    case 'default':
      return inside(innerType as Schema, without(wrong, undefined));
    case 'nullable':
      return inside(innerType as Schema, without(wrong, null));
    case 'pipe':
      // The output of the first schema already has the second's type: only its checks can fail.
      return [...inside(from as Schema, wrong), ...inside(out as Schema, [])];
    default:
      if (wrong.length > 0 && own.length === 0) throw new Error(`${where}: a ${type} without a field code`);
      return [
        ...own,
        ...ofChecks(checks),
        ...[...Object.values(shape), ...options, ...(element ? [element] : [])].flatMap((part) => inside(part)),
      ];
  }
}

const ofChecks = (checks: readonly Check[] = []): FieldCode[] =>
  checks.flatMap(({ codes, _zod: { def } }) => codes ?? ((def.error?.({ input: '' }) as FieldCode | undefined) || []));

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
