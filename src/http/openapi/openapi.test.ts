import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bodyOf, type Endpoint } from '../../contract/endpoint.ts';
import { form } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { glossary, operationNotes } from './glossary.ts';
import { entryKey } from './schemas.ts';

const server = await openTestServer('sqlite', {
  PHONE_CONFIRMATION: 'required',
  PHONE_CONFIRMATION_BY_MAIL: 'on',
  WEBAUTHN_RELATED_ORIGINS: 'https://other.example',
});
const addresses = ['/openapi.json', '/operators/openapi.json'];
const [main, management] = await Promise.all(
  addresses.map(async (address) => (await server.client().get(address)).body),
);

/** The names of shared responses are those of one document. */
const renamed = JSON.parse(
  JSON.stringify(management).replaceAll('#/components/responses/', '#/components/responses/Management'),
);

/** Both documents as one. */
const document = {
  ...main,
  paths: { ...main.paths, ...renamed.paths },
  components: {
    schemas: { ...renamed.components.schemas, ...main.components.schemas },
    responses: {
      ...main.components.responses,
      ...Object.fromEntries(
        Object.entries(renamed.components.responses).map(([name, response]) => [`Management${name}`, response]),
      ),
    },
  },
};

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly items?: Schema;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: object;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly description?: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** What a reference stands for. */
const resolve = <T extends { readonly $ref?: string }>(found: T): T =>
  found.$ref
    ? found.$ref
        .slice(2)
        .split('/')
        .reduce((inside, name) => inside[name], document)
    : found;

test.each([main, management])('a public linter accepts the document without a warning', async (one) => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(one), config });
  expect(problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`)).toEqual([]);
});

test('each operation has an id of its own, a summary, a description, a tag, a refusal, and examples', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operation } of operations) {
    const { operationId, summary, description, tags, parameters, requestBody, responses } = operation;
    expect([summary, description, tags[0]], operationId).not.toContain(undefined);
    expect(
      Object.keys(responses).some((status) => status.startsWith('4')),
      operationId,
    ).toBe(true);
    for (const parameter of parameters)
      expect(parameter, operationId).toMatchObject({ description: expect.any(String), example: expect.anything() });
    const contents = [requestBody, ...Object.values(responses).map(resolve)].flatMap((one) =>
      Object.values(one?.content ?? {}),
    );
    for (const { example, examples } of contents) expect(example ?? examples, operationId).toBeDefined();
  }
});

const sources = join(import.meta.dirname, '..', '..');

/** The endpoints of all contracts. */
async function endpointsOfContracts(): Promise<readonly Endpoint[]> {
  const files = globSync(['contract/**/*.ts', '**/*.contract.ts', 'devices/contract/*.ts'], { cwd: sources });
  const modules: object[] = await Promise.all(
    files.filter((file) => !file.includes('.test.')).map((file) => import(join(sources, file))),
  );
  return modules
    .flatMap((exported): unknown[] => Object.values(exported))
    .filter((one): one is Endpoint => typeof one === 'object' && one !== null && 'method' in one && 'path' in one);
}

/** Every schema with its place, without those that references lead to. */
function schemasIn(inside: unknown, where: string): { where: string; schema: Schema }[] {
  if (typeof inside !== 'object' || inside === null) return [];
  const isSchema = 'properties' in inside && typeof inside.properties === 'object';
  return [
    ...(isSchema ? [{ where, schema: inside as Schema }] : []),
    ...Object.entries(inside)
      .filter(([name]) => name !== 'example' && name !== 'examples')
      .flatMap(([name, part]) => schemasIn(part, `${where}/${name}`)),
  ];
}

test('each property has a description, and no object of several properties appears twice', () => {
  const schemas = schemasIn(document, '#');
  expect(schemas.length).toBeGreaterThan(100);
  const undescribed = schemas.flatMap(({ where, schema }) =>
    Object.entries(schema.properties ?? {})
      .filter(([, property]) => !property.description?.endsWith('.'))
      .map(([name]) => `${where} ${name}`),
  );
  expect(undescribed).toEqual([]);
  const objects = schemas.filter(
    ({ where, schema }) => !where.includes('/allOf/') && Object.keys(schema.properties ?? {}).length > 1,
  );
  const twice = Object.values(Object.groupBy(objects, ({ schema }) => JSON.stringify(schema))).filter(
    (same = []) => same.length > 1,
  );
  expect(twice.map((same = []) => same.map(({ where }) => where))).toEqual([]);
});

test('examples of requests satisfy their contracts, and the glossary describes nothing else', async () => {
  const used = new Set<string>();
  const note = (inside: unknown, parent: string): void => {
    if (typeof inside !== 'object' || inside === null) return;
    const { properties, ...rest } = inside as Schema;
    for (const part of Object.values(rest)) note(part, parent);
    for (const [name, property] of Object.entries(properties ?? {})) {
      used.add(entryKey(parent, name));
      note(property, name);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) note(schema, name);
  for (const { operation } of operations) {
    const { operationId, parameters, requestBody, responses } = operation;
    for (const { name } of parameters as unknown as { name: string }[]) used.add(entryKey(operationId, name));
    note(requestBody, operationId);
    for (const [status, response] of Object.entries(responses)) if (status < '300') note(response, operationId);
  }
  expect(Object.keys(glossary).filter((key) => !used.has(key))).toEqual([]);
  expect(
    Object.keys(operationNotes).filter((id) => !operations.some(({ operation }) => operation.operationId === id)),
  ).toEqual([]);
  const { config } = server;
  for (const endpoint of await endpointsOfContracts()) {
    const operation = operations.find(
      ({ path, method }) => method === endpoint.method && path === endpoint.path.replace(/:(\w+)/g, '{$1}'),
    );
    const example = operation?.operation.requestBody?.content['application/json']?.example;
    if (example)
      expect(bodyOf(endpoint, config.PASSWORD_MIN_LENGTH)?.safeParse(example).error, endpoint.path).toBeUndefined();
  }
});

test('the document includes the endpoints for machines', () => {
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/.well-known/jwks.json',
      '/builds/latest.json',
      '/builds/meta/{build}.json',
    ]),
  );
});

test('the document declares `minutes` for every rate limit', () => {
  const limited = operations.filter(({ operation }) => operation.responses['429']);
  expect(limited.map(({ path }) => path)).toContain('/account/email');
  for (const { path, operation } of limited)
    expect([path, problemIn(operation.responses, 429)]).toEqual([
      path,
      expect.objectContaining({ minutes: expect.anything() }),
    ]);
});

test('the document lists the fields of a sign-in and all its failures', () => {
  const { requestBody, responses } = document.paths['/auth/login'].post as Operation;
  expect(Object.keys(requestBody?.content['application/json']?.schema.properties ?? {})).toEqual([
    'email',
    'password',
    'db_type',
    'shared',
  ]);
  expect(resolve(responses['429'] as Response)).toMatchObject({
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
  });
  expect(codesIn(responses, 429)).toEqual(['too_many_attempts', 'too_many_requests']);
  expect(problemIn(responses, 429)).toHaveProperty('minutes');
  expect(fieldCodesIn(responses)?.toSorted()).toEqual([
    'email_invalid',
    'email_required',
    'not_understood',
    'password_required',
    'password_too_long',
    'too_long',
  ]);
});

/** What an operation adds to a problem document for a status. */
function problemIn(responses: Operation['responses'], status: number): Schema['properties'] {
  const response = responses[status];
  const [base, own] = (response && resolve(response).content?.['application/problem+json']?.schema.allOf) ?? [];
  return base && { ...resolve(base).properties, ...own?.properties };
}

const codesIn = (responses: Operation['responses'], status: number) => problemIn(responses, status)?.code?.enum;

const fieldCodesIn = (responses: Operation['responses']) =>
  problemIn(responses, 422)?.fields?.items?.allOf?.[1]?.properties?.code?.enum;

/** Errors that requests of every shape can have, before their content is checked. */
const mistakes: [what: string, body: string | undefined, headers: Record<string, string>][] = [
  ['no body', undefined, {}],
  ['no CSRF token', '{}', { 'x-csrf-token': '' }],
  ['an empty form', '{}', {}],
  ['useless fields', '{"email":7,"locale":"xx","phone":[],"place":{},"way":0}', {}],
  ['broken JSON', '{"email"', {}],
  ['a list', '[]', {}],
  ['plain text', 'hello', { 'content-type': 'text/plain' }],
  ['20 kB', JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(20_000) }), {}],
];

/** Open pages ask for the newest build every few minutes; a manifest never changes. */
const cacheable = /^\/builds\//;

describe('each request is refused as the document says, and no response is stored', () => {
  test.each(operations)('$method $path', async ({ path, method, operation }) => {
    const browser = server.client();
    await browser.get('/auth/csrf');
    const address = path.replace(/\{\w+\}/g, 'x');
    for (const [what, body, headers] of method === 'GET' ? mistakes.slice(0, 1) : mistakes) {
      const response = await browser.send(method, address, { body, headers });
      const documented = operation.responses[response.status];
      expect(documented, `${what}: ${response.status}`).toBeDefined();
      if (response.status >= 400)
        expect(codesIn(operation.responses, response.status), what).toContain(response.body.code);
      for (const { code } of response.body?.fields ?? [])
        expect(fieldCodesIn(operation.responses), what).toContain(code);
      if (!cacheable.test(path)) expect(response.headers.get('cache-control'), what).toBe('no-store');
    }
  });
});

describe('any other method gets 405 with those of the document, whatever its body', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
  test.each(Object.entries(document.paths))('%s', async (path, described) => {
    const documented = Object.keys(described as object).map((method) => method.toUpperCase());
    const allowed = [...documented, ...(documented.includes('GET') ? ['HEAD'] : [])].toSorted();
    for (const method of methods.filter((other) => !allowed.includes(other))) {
      const body = ['GET', 'HEAD'].includes(method) ? null : '<a/>';
      const response = await fetch(server.url + path.replace(/\{\w+\}/g, 'x'), { method, body });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, allowed.join(', ')]);
      if (method !== 'HEAD') expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
    }
  });
});

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'api.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block as string);

test('the commands of the page about the API work one after the other', async () => {
  const server = await openTestServer('sqlite', { PUBLIC_URL: 'http://localhost' });
  const password = 'correct horse battery staple';
  const ann = server.client();
  await ann.get('/auth/csrf');
  const registered = await ann.post(
    '/auth/register',
    form({ email: 'ann@example.com', password, password_repeat: password }),
  );
  expect(registered.status).toBe(201);
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (script: string) =>
    new Promise<string>((resolve, reject) => {
      execFile('sh', ['-ec', script], { cwd: folder }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
  const shown = await run(blocks.join('echo\n').replaceAll('https://account.example.com', server.url));
  const responses = shown
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(responses).toEqual([
    expect.objectContaining({ email: 'ann@example.com' }),
    expect.objectContaining({ format: 1 }),
    expect.objectContaining({ access_token: expect.any(String) }),
    expect.objectContaining({ records: [expect.objectContaining({ kind: expect.any(String) })] }),
  ]);
});
