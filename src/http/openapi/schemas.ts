import * as z from 'zod/mini';
import { components } from '../../contract/endpoint.ts';
import { glossary } from './glossary.ts';

/** The parts of a JSON Schema (2020-12) that zod writes for our contracts. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly id?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

const prefix = '#/components/schemas/';

/** What the glossary has for a property of a component, an operation or another property. */
export const entryKey = (parent: string, name: string): string =>
  Object.hasOwn(glossary, `${parent}.${name}`) ? `${parent}.${name}` : name;

function entryOf(parent: string, name: string) {
  const entry = glossary[entryKey(parent, name)];
  if (!entry) throw new Error(`The glossary does not describe ${parent}.${name}`);
  return entry;
}

/** Writes the schemas of contracts as JSON Schema, each named one once, with descriptions and examples. */
export function openSchemas() {
  const named: Record<string, JsonSchema> = {};

  /** `parent` names the operation. */
  function write(schema: z.ZodMiniType, io: 'input' | 'output', parent: string): JsonSchema {
    // A schema has a `$ref` only where another uses it.
    const { $defs = {}, properties = {} } = jsonSchema(z.object({ schema }), io);
    for (const [name, described] of Object.entries($defs)) add(name, described);
    return complete(properties.schema as JsonSchema, parent);
  }

  function add(name: string, { id: _, ...schema }: JsonSchema): void {
    const described = complete(schema, name);
    if (named[name] && JSON.stringify(named[name]) !== JSON.stringify(described))
      throw new Error(`Two schemas are called ${name}`);
    named[name] = described;
  }

  /** With descriptions, and references to components. */
  function complete(schema: JsonSchema, parent: string): JsonSchema {
    const { $ref, properties, items, anyOf, oneOf } = schema;
    return {
      ...schema,
      ...($ref && { $ref: $ref.replace('#/$defs/', prefix) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [name, describe(property, { parent, name })]),
        ),
      }),
      ...(items && { items: complete(items, parent) }),
      ...(anyOf && { anyOf: anyOf.map((option) => complete(option, parent)) }),
      ...(oneOf && { oneOf: oneOf.map((option) => complete(option, parent)) }),
    };
  }

  /** A property or parameter with its description. */
  function describe(schema: JsonSchema, { parent, name }: { parent: string; name: string }): JsonSchema {
    const [description, example] = entryOf(parent, name);
    const isTime = schema.type === 'string' && typeof example === 'string' && /^\d{4}-\d\d-\d\dT/.test(example);
    return { ...complete(schema, name), ...(isTime && { format: 'date-time' }), description };
  }

  /** A value that a schema accepts. */
  function exampleOf(schema: JsonSchema, parent: string): unknown {
    if (schema.$ref) {
      const name = schema.$ref.slice(prefix.length);
      return exampleOf(named[name] as JsonSchema, name);
    }
    if (schema.const !== undefined) return schema.const;
    const [option] = schema.anyOf ?? schema.oneOf ?? [];
    if (option) return exampleOf(option, parent);
    if (schema.type === 'array') return [exampleOf(schema.items as JsonSchema, parent)];
    if (schema.type === 'boolean') return true;
    if (schema.enum) return schema.enum[0];
    if (schema.type !== 'object') throw new Error(`The glossary has no example for ${parent}`);
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, property]) => [
        name,
        exampleOfProperty(property, { parent, name }),
      ]),
    );
  }

  function exampleOfProperty(schema: JsonSchema, { parent, name }: { parent: string; name: string }): unknown {
    const [, example] = entryOf(parent, name);
    return example === undefined || schema.const !== undefined ? exampleOf(schema, name) : example;
  }

  return {
    named,
    /** A schema as clients have to fill it in, before any field is transformed. */
    read: (schema: z.ZodMiniType, parent: string) => write(schema, 'input', parent),
    written: (schema: z.ZodMiniType, parent: string) => write(schema, 'output', parent),
    add,
    exampleOf,
    exampleOfProperty,
  };
}

export type Schemas = ReturnType<typeof openSchemas>;

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    metadata: components,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: object }) {
      // What a refused value becomes is no default that clients could rely on.
      if (zodSchema._zod.def.type === 'catch') delete object.default;
      if (object.type === 'integer' && object.default !== undefined) object.default = Number(object.default);
      if (zodSchema._zod.def.type !== 'object') return;
      // A later version may add fields.
      delete object.additionalProperties;
      if (io === 'output') return;
      // A field with a fallback for invalid values may also be missing.
      const { shape } = zodSchema._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
      object.required = object.required?.filter((name) => shape[name]?._zod.def.type !== 'catch') ?? [];
    },
  }) as JsonSchema;
}
