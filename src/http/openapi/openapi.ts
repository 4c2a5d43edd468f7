import type { FastifyInstance } from 'fastify';
import type * as z from 'zod/mini';
import { type Auth, bodyOf, type Endpoint } from '../../contract/endpoint.ts';
import { keyRoles, operatorRoles, seesContacts } from '../../contract/operators.ts';
import { csrfCookie } from '../../contract/pages.ts';
import { describeApi, describeManagementApi } from '../../contract/service.ts';
import { refresh } from '../../contract/sign-in/admission.ts';
import type { Service } from '../../server/service.ts';
import { type CompressedText, compress } from '../responses/compression.ts';
import { openNegotiation } from '../responses/negotiation.ts';
import { operationNotes } from './glossary.ts';
import { addProblems, failureResponses } from './openapi-failures.ts';
import { type JsonSchema, openSchemas, type Schemas } from './schemas.ts';

interface Described {
  readonly title: string;
  /** What holds for all operations, in CommonMark. */
  readonly introduction: string;
  /** Id of the build. */
  readonly version: string;
  /** Origin of the service. */
  readonly url: string;
  /** Of the people who operate the service. */
  readonly email: string | undefined;
  readonly sessionCookie: string;
  readonly passwordMinLength: number;
}

function openApiDocument(endpoints: readonly Endpoint[], described: Described) {
  const schemas = openSchemas();
  addProblems(schemas);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, schemas, described) };
  }
  const responses = shareResponses(Object.values(paths).flatMap((methods) => Object.values(methods)));
  const { title, version, url, email } = described;
  return {
    openapi: '3.1.0' as const,
    info: {
      title,
      version,
      description: described.introduction,
      contact: { url, ...(email && { email }) },
      license: { name: 'Not licensed to others', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url }],
    tags: tags
      .filter(({ name }) =>
        Object.values(paths).some((methods) => Object.values(methods).some(({ tags: [tag] }) => tag === name)),
      )
      .map(({ name, description }) => ({ name, description })),
    paths,
    components: { securitySchemes: usedSchemes(paths, described), schemas: schemas.named, responses },
  };
}

/** Refers to responses that several operations have by their names. Returns those. */
function shareResponses(operations: readonly Operation[]): Record<string, object> {
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, one]) => ({ responses, status, one })),
  );
  const named: Record<string, object> = {};
  for (const same of Object.values(Object.groupBy(all, ({ status, one }) => status + JSON.stringify(one)))) {
    const [first] = same ?? [];
    const codes = [...(first?.one.description.matchAll(/`(\w+)`/g) ?? [])].map(([, code]) => code as string);
    if (!first || codes.length === 0 || !same || same.length < 2) continue;
    const base = codes.map(pascalCase).join('Or');
    const name = [base, ...Array.from({ length: 50 }, (_, at) => `${base}${at + 2}`)].find(
      (free) => !named[free],
    ) as string;
    named[name] = first.one;
    for (const { responses, status } of same) responses[status] = { $ref: `#/components/responses/${name}` } as never;
  }
  return named;
}

const pascalCase = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

interface Operation {
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly responses: Record<string, { readonly description: string }>;
}

/** The first match counts. */
const tags = [
  { name: 'Access', description: 'Signing in and staying signed in.', of: /^\/auth\// },
  { name: 'Last place', description: 'The page where the owner resumes.', of: /^\/additionally\// },
  { name: 'Account', description: 'The data and settings that the owner sees and changes.', of: /^\/account/ },
  { name: 'Computers', description: 'The owner’s computers and their reports.', of: /^\/computers/ },
  { name: 'People', description: 'Accounts, as operators help their owners.', of: /^\/operators\/people/ },
  { name: 'Operators', description: 'Operators, their keys and what they did.', of: /^\/operators/ },
  { name: 'Applications', description: 'The pages of a sign-in to another application.', of: /^\/connect/ },
  { name: 'Service', description: 'Endpoints for machines.', of: /^/ },
];

const securitySchemes = ({ sessionCookie }: Described) => ({
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The `access_token` of a sign-in or refresh, for ten minutes. After 401 `not_signed_in`, refresh once.',
  },
  deviceToken: { type: 'http', scheme: 'bearer', description: 'The token that a computer received when it was added.' },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A key for the management API (`vop_…`), or the `access_token` of an operator.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: `The value of the cookie \`${csrfCookie}\`, which the request also sends. It changes at sign-in and sign-out.`,
  },
  csrfCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: csrfCookie,
    description: 'Set by `GET /auth/csrf`, by each page, and at sign-in and sign-out.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The refresh token: `HttpOnly`, `SameSite=Lax`. Each refresh replaces it.',
  },
});

const usedSchemes = (paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>, described: Described) => {
  const used = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ security }) => security.flatMap(Object.keys));
  return Object.fromEntries(Object.entries(securitySchemes(described)).filter(([name]) => used.includes(name)));
};

/** The security scheme of each kind of `auth`. */
const proofs = { bearer: 'accessToken', device: 'deviceToken', operator: 'operatorToken' } as const satisfies Record<
  Auth,
  string
>;

function operation(endpoint: Endpoint, schemas: Schemas, { passwordMinLength }: Described): Operation {
  const { method, path, summary, auth, from } = endpoint;
  const id = operationId(method, path);
  const body = bodyOf(endpoint, passwordMinLength);
  const schema = body && schemas.read(body, id);
  const required = {
    ...(method !== 'GET' && !from && auth !== 'operator' && { csrfToken: [], csrfCookie: [] }),
    ...(path === refresh.path && { sessionCookie: [] }),
    ...(auth && { [proofs[auth]]: [] }),
  };
  return {
    operationId: id,
    summary,
    description: descriptionOf(endpoint, schema, id),
    tags: [tags.find(({ of }) => of.test(path))?.name],
    security: Object.keys(required).length > 0 ? [required] : [],
    parameters: [
      ...parameters('path', endpoint.params, { id, schemas }),
      ...parameters('query', endpoint.query, { id, schemas }),
      ...(auth === 'operator' && method === 'POST' ? [idempotencyHeader] : []),
    ],
    ...(schema && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema, example: operationNotes[id]?.example ?? schemas.exampleOf(schema, id) },
        },
      },
    }),
    responses: { [endpoint.status]: success(endpoint, schemas, id), ...failureResponses(endpoint) },
  } as Operation;
}

function descriptionOf(
  { method, auth, role, sensitive, provesWork }: Endpoint,
  body: JsonSchema | undefined,
  id: string,
): string {
  const who = {
    bearer: 'Needs an access token.',
    device: 'Needs the token of a computer.',
    operator: '',
    none: 'Needs no token.',
  };
  return [
    operationNotes[id]?.note,
    who[auth ?? 'none'],
    role &&
      `Needs the role \`${role}\`${method === 'GET' ? '' : '; in a browser, with a step-up in the last 15 minutes'}.`,
    sensitive &&
      `Needs a sign-in or a step-up in the last 15 minutes${sensitive === 'or_password' ? ', or the password in the request if the account has no second step' : ''}: after \`step_up_required\`, send \`POST /auth/step-up\` and repeat the request.`,
    body?.properties?.attempt && 'If there was no response, repeat the request with the same `attempt`.',
    provesWork && 'In a flood, a client that sends `X-Proof-Of-Work: ready` may solve a task instead of waiting.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** `POST /auth/phone/call` → `postAuthPhoneCall`: derived from both, so that it needs no upkeep. */
const operationId = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

interface Place {
  /** Of the operation. */
  readonly id: string;
  readonly schemas: Schemas;
}

function parameters(place: 'path' | 'query', schema: z.ZodMiniType | undefined, { id, schemas }: Place) {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.read(schema, id);
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    description,
    required: place === 'path' || required.includes(name),
    schema: place === 'path' ? { ...property, default: undefined } : property,
    example: schemas.exampleOfProperty(property, { parent: id, name }),
  }));
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Repeated within 24 hours, the request makes its change once and gets the same response.',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  example: 'b6c1a9d2-7f6e-4f0e-9f0b-3f1f7d1a2c55',
};

const successes: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done, without content.',
};

function success({ status, response }: Endpoint, schemas: Schemas, id: string) {
  const schema = response && schemas.written(response, id);
  const cookie = operationNotes[id]?.cookie;
  return {
    description: successes[status],
    ...(cookie && { headers: { 'Set-Cookie': { description: cookie, schema: { type: 'string' } } } }),
    ...(schema && { content: { 'application/json': { schema, example: schemas.exampleOf(schema, id) } } }),
  };
}

const isForOperators = ({ path }: Endpoint): boolean => path.startsWith('/operators/');

/** Serves the OpenAPI descriptions of all mounted endpoints, those of the management API apart. */
export function openApiRoute(
  app: FastifyInstance,
  { config, build, cookies }: Service,
  mounted: ReadonlySet<Endpoint>,
): void {
  const describe = (isPart: (endpoint: Endpoint) => boolean, about: Pick<Described, 'title' | 'introduction'>) => () =>
    // Linters want a response with content, and password managers no description.
    openApiDocument(
      [...mounted].filter((endpoint) => endpoint.status !== 302 && isPart(endpoint)),
      {
        ...about,
        version: build.id,
        url: config.PUBLIC_URL,
        email: config.SUPPORT_EMAIL,
        sessionCookie: cookies.nameOf('refresh_token'),
        passwordMinLength: config.PASSWORD_MIN_LENGTH,
      },
    );
  const title = config.PRODUCT_NAME;
  sendDescription(
    app,
    describeApi,
    describe((endpoint) => !isForOperators(endpoint), { title, introduction }),
  );
  if (config.CONSOLE === 'off') return;
  const forOperators = { title: `${title}: management API`, introduction: operatorsIntroduction };
  sendDescription(app, describeManagementApi, describe(isForOperators, forOperators));
}

/** Written once, after all endpoints are mounted: it is the slowest response, and anyone can request it. */
function sendDescription(
  app: FastifyInstance,
  endpoint: typeof describeApi | typeof describeManagementApi,
  describe: () => object,
): void {
  const { wantedCoding } = openNegotiation();
  let description: { readonly plain: Buffer; readonly compressed: CompressedText } | undefined;

  function written() {
    const text = JSON.stringify(describe());
    return { plain: Buffer.from(text), compressed: compress(text) };
  }

  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    handler: (request, reply) => {
      description ??= written();
      reply
        .header('cache-control', 'no-store')
        .header('vary', 'Accept-Encoding')
        .type('application/json; charset=utf-8');
      const coding = wantedCoding(request);
      return coding
        ? reply.header('content-encoding', coding).send(description.compressed[coding])
        : reply.send(description.plain);
    },
  });
}

/** What holds for all operations, in CommonMark. */
const introduction = `
Accounts, sessions, and the last place of each user.

## Cookies and tokens

- **CSRF**: each request except \`GET\` sends the value of the cookie \`${csrfCookie}\` in \`X-CSRF-Token\`, also the sign-in: get the
  cookie from \`GET /auth/csrf\` first. It changes at sign-in and sign-out. Computers need none.
- **Origin**: a request with \`Origin\` or \`Sec-Fetch-Site\` comes from this origin, or is refused with \`csrf_failed\`. There is no CORS.
- **Session**: a sign-in sets the session’s cookie and returns an access token for ten minutes. \`POST /auth/refresh\` replaces both;
  keep the newest cookie. If the response is lost, repeat the refresh.
- **Step-up**: after 401 \`step_up_required\`, send \`POST /auth/step-up\` with one of the \`ways\`, and repeat the request with the new token.

## Conventions

- Bodies are JSON in UTF-8, up to 16 KiB. Unknown properties and parameters are ignored.
- Times are ISO 8601 in UTC, such as \`2026-03-14T09:26:53.589Z\`. Durations are in seconds unless a description says otherwise.
- Ids and \`next\` are opaque.
- **Paging**: \`limit\` sets the size of a page; send \`next\` as \`before\` to get older entries, until it is null.
- **Idempotency**: an operation with \`attempt\` may be repeated with the same value within ten minutes. The others with \`POST\` are not
  idempotent; \`GET\`, \`PUT\` and \`DELETE\` are.
- **Errors** are problem documents (RFC 9457). Decide by \`code\`, never by \`title\`. 405 has \`Allow\`. \`X-Request-Id\` finds the request in
  the operator’s log.
- **Limits**: after 429 and 503, wait for \`Retry-After\` seconds.

## Stability

\`info.version\` is the id of the running build. Within a major version of the program, no operation, property, code or header is
removed or changes its meaning, and no request needs more than before. Responses may get new properties, new values of enumerations
and new codes: ignore what you do not know. What a later major version removes is \`deprecated\` here, and named in the changelog, at
least one minor version before. Operations with the tag Applications are for the pages of this service and may change at any time.
`.trim();

const maskedRoles = operatorRoles.filter((role) => !seesContacts(role)).join(', ');

/** The same for the management API. */
const operatorsIntroduction = `
What operators can do by command, for their programs and consoles. \`docs/management-api.md\` has examples.

## Callers

- **Programs** send a key of \`vestibule keys-for-operators add\` in \`Authorization: Bearer\`: no cookie, no CSRF token. A key has the role
  ${keyRoles.join(' or ')}, expires within a year, and may be limited to addresses.
- **Operators** send the access token of a session with two factors. Changes need the CSRF token as in \`/openapi.json\`, and a step-up in
  the last 15 minutes; after 30 minutes without a request, every operation does.
- A role may do what those before it may: ${operatorRoles.join(', ')}. Addresses and phone numbers are masked for ${maskedRoles}.

## Conventions

- Every change, and every view of a person, is an entry of the audit log with its optional \`reason\`.
- **Paging**: send \`next\` as \`cursor\` to get the next page, until it is null. There are no totals.
- **Errors** are problem documents (RFC 9457). Decide by \`code\`, never by \`title\`.
- Times are ISO 8601 in UTC. Ids, \`next\` and \`cursor\` are opaque. Unknown properties have no effect.
`.trim();
