import type * as z from 'zod/mini';
import { bodyOf, type Endpoint } from '../endpoint.ts';
import type { FieldCode } from '../failures.ts';
import { passwordMinLength } from '../field-sizes.ts';

type Schema = z.ZodMiniType;

/** The parts of zod's definitions that are walked over; each kind has some of them. */
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
  /** As `must` notes them. */
  readonly codes?: readonly FieldCode[];
  readonly _zod: { readonly def: Pick<Definition, 'error'> };
}

/** Inputs that reach a schema and are wrong for it. */
type Wrong = readonly unknown[];
const anything: Wrong = [undefined, null, Number.NaN];
const without = (wrong: Wrong, ...kept: unknown[]): Wrong => wrong.filter((input) => !kept.includes(input));

/** Every code that a field of an endpoint can be refused with: the schemas' own, and those that only the server can find. */
export function fieldCodesOf(endpoint: Endpoint): readonly FieldCode[] {
  const schemas = [bodyOf(endpoint, passwordMinLength), endpoint.query, endpoint.params];
  const found = schemas.flatMap((schema) => (schema ? codesOf(schema, endpoint.path) : []));
  return [...new Set([...found, ...endpoint.fieldCodes])];
}

/** The codes of an object's fields. The object itself is judged as a whole: `malformed_request`. */
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
      // What comes out of the first already has the second's type: only its checks can fail.
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
