import * as z from 'zod/mini';
import { csrfCookie } from '../../contract/cookies.ts';
import { type Auth, bodyOf, type Endpoint } from '../../contract/endpoint.ts';
import { failureResponses } from './openapi-failures.ts';

interface Described {
  readonly title: string;
  /** Of the build. */
  readonly version: string;
  /** Origin of the service. */
  readonly url: string;
  readonly passwordMinLength: number;
}

/** The OpenAPI 3.1 document of these endpoints. */
export function openApiDocument(endpoints: readonly Endpoint[], { title, version, url, passwordMinLength }: Described) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, passwordMinLength) };
  }
  return {
    openapi: '3.1.0' as const,
    info: { title, version, description: 'Accounts, sessions, and the way to a user’s last place.' },
    servers: [{ url }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths,
    components: { securitySchemes },
  };
}

/** The first that fits. */
const tags = [
  { name: 'Access', description: 'Signing in and staying signed in.', of: /^\/auth\// },
  { name: 'Last place', description: 'Where the account’s owner goes on.', of: /^\/additionally\// },
  { name: 'Account', description: 'What its owner sees and changes.', of: /^\/account/ },
  { name: 'Computers', description: 'The owner’s computers, and what they report.', of: /^\/computers/ },
  { name: 'Service', description: 'What machines ask.', of: /^/ },
];

const securitySchemes = {
  accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  deviceToken: { type: 'http', scheme: 'bearer', description: 'What a computer got when it was added.' },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: `The value of the cookie ${csrfCookie}, which comes with it.`,
  },
};

/** The security scheme of each kind of `auth`. */
const proofs = { bearer: 'accessToken', device: 'deviceToken' } as const satisfies Record<
  Auth,
  keyof typeof securitySchemes
>;

function operation(endpoint: Endpoint, passwordMinLength: number) {
  const { method, path, summary, auth, from } = endpoint;
  const body = bodyOf(endpoint, passwordMinLength);
  const required = { ...(method !== 'GET' && !from && { csrfToken: [] }), ...(auth && { [proofs[auth]]: [] }) };
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tags.find(({ of }) => of.test(path))?.name],
    security: Object.keys(required).length > 0 ? [required] : [],
    parameters: [...parameters('path', endpoint.params), ...parameters('query', endpoint.query)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: read(body) } } } }),
    responses: { [endpoint.status]: success(endpoint), ...failureResponses(endpoint) },
  };
}

/** `POST /auth/phone/call` → `postAuthPhoneCall`: says no more than the two of them, so nobody has to keep it up. */
const operationId = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function parameters(place: 'path' | 'query', schema: z.ZodMiniType | undefined) {
  if (!schema) return [];
  const { properties = {}, required = [] } = read(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

const successes = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; there is nothing to tell.',
  302: 'Is elsewhere.',
};

const success = ({ status, answer }: Endpoint) => ({
  description: successes[status],
  ...(answer && { content: { 'application/json': { schema: written(answer) } } }),
  ...(status === 302 && { headers: { Location: { schema: { type: 'string' } } } }),
});

/** A schema as callers have to fill it: before anything is read into another form. */
const read = (schema: z.ZodMiniType) => jsonSchema(schema, 'input');
const written = (schema: z.ZodMiniType) => jsonSchema(schema, 'output');

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output') {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: object }) {
      if (zodSchema._zod.def.type !== 'object') return;
      // A later version may tell more.
      delete object.additionalProperties;
      if (io === 'output') return;
      // What is read as something else when it is wrong may also be missing.
      const { shape } = zodSchema._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
      object.required = object.required?.filter((name) => shape[name]?._zod.def.type !== 'catch') ?? [];
    },
  });
  return described;
}
