import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import { type Auth, bodyOf, type Endpoint } from '../../contract/endpoint.ts';
import { csrfCookie } from '../../contract/pages.ts';
import { describeApi, pagePayload } from '../../contract/service.ts';
import type { Service } from '../../server/service.ts';
import { type CompressedText, compress, isKnown, tagOf } from '../responses/compression.ts';
import { openNegotiation } from '../responses/negotiation.ts';
import { failureResponses } from './openapi-failures.ts';

interface Described {
  readonly title: string;
  /** Id of the build. */
  readonly version: string;
  /** Origin of the service. */
  readonly url: string;
  readonly passwordMinLength: number;
}

/** The OpenAPI 3.1 document of these endpoints. */
function openApiDocument(endpoints: readonly Endpoint[], { title, version, url, passwordMinLength }: Described) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, passwordMinLength) };
  }
  return {
    openapi: '3.1.0' as const,
    info: { title, version, description: 'Accounts, sessions, and the last place of each user.' },
    servers: [{ url }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths,
    components: { securitySchemes },
  };
}

/** The first match counts. */
const tags = [
  { name: 'Access', description: 'Signing in and staying signed in.', of: /^\/auth\// },
  { name: 'Last place', description: 'The page where the owner resumes.', of: /^\/additionally\// },
  { name: 'Account', description: 'The data and settings that the owner sees and changes.', of: /^\/account/ },
  { name: 'Computers', description: 'The owner’s computers and their reports.', of: /^\/computers/ },
  { name: 'Service', description: 'Endpoints for machines.', of: /^/ },
];

const securitySchemes = {
  accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  deviceToken: { type: 'http', scheme: 'bearer', description: 'The token that a computer received when it was added.' },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: `The value of the cookie ${csrfCookie}, which the request also sends.`,
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

/** `POST /auth/phone/call` → `postAuthPhoneCall`: derived from both, so that it needs no upkeep. */
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
  204: 'Done, without content.',
  302: 'Redirect.',
};

const success = ({ status, response }: Endpoint) => ({
  description: successes[status],
  ...(response && { content: { 'application/json': { schema: written(response) } } }),
  ...(status === 302 && { headers: { Location: { schema: { type: 'string' } } } }),
});

/** A schema as clients have to fill it in, before any field is transformed. */
const read = (schema: z.ZodMiniType) => jsonSchema(schema, 'input');
const written = (schema: z.ZodMiniType) => jsonSchema(schema, 'output');

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output') {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: object }) {
      if (zodSchema._zod.def.type !== 'object') return;
      // A later version may add fields.
      delete object.additionalProperties;
      if (io === 'output') return;
      // A field with a fallback for invalid values may also be missing.
      const { shape } = zodSchema._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
      object.required = object.required?.filter((name) => shape[name]?._zod.def.type !== 'catch') ?? [];
    },
  });
  return described;
}

/** Serves the OpenAPI description of every mounted endpoint at `/openapi.json`. */
export function openApiRoute(app: FastifyInstance, { config, build }: Service, mounted: ReadonlySet<Endpoint>): void {
  const describe = () =>
    openApiDocument([...mounted, pagePayload], {
      title: config.PRODUCT_NAME,
      version: build.id,
      url: config.PUBLIC_URL,
      passwordMinLength: config.PASSWORD_MIN_LENGTH,
    });
  sendDescription(app, describe);
}

/** Written once, after all endpoints are mounted: it is the slowest response, and anyone can request it. */
function sendDescription(app: FastifyInstance, describe: () => object): void {
  const endpoint = describeApi;
  const { wantedCoding } = openNegotiation();
  let description: { readonly plain: Buffer; readonly compressed: CompressedText; readonly tag: string } | undefined;

  function written() {
    const text = JSON.stringify(describe());
    return { plain: Buffer.from(text), compressed: compress(text), tag: tagOf(text) };
  }

  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    handler: (request, reply) => {
      description ??= written();
      reply.header('cache-control', 'no-cache').header('etag', description.tag);
      if (isKnown(request, description.tag)) return reply.code(304).send();
      reply.type('application/json; charset=utf-8').header('vary', 'Accept-Encoding');
      const coding = wantedCoding(request);
      return coding
        ? reply.header('content-encoding', coding).send(description.compressed[coding])
        : reply.send(description.plain);
    },
  });
}
