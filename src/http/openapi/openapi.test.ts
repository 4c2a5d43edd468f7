import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { openTestServer } from '../../testing/test-server.ts';

const server = openTestServer('sqlite', { PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on' });
const { body: document } = await (await server).client().get('/openapi.json');

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly properties: object } }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>;
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[]; readonly items?: Schema }>>;
}

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

test('a public linter accepts the document', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The API belongs to the operator, who licenses it to no one else.
      'info-license': 'off',
      // Some requests cannot be wrong, such as the liveness check.
      'operation-4xx-response': 'off',
      // No page is called `computers`, and no computer `_payload.json`.
      'no-ambiguous-paths': 'off',
      // The well-known URL only redirects.
      'operation-2xx-response': 'off',
    },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`)).toEqual([]);
});

test('a client receives the document again only after it has changed', async () => {
  const browser = (await server).client();
  const tag = (await browser.get('/openapi.json')).headers.get('etag') ?? '';
  expect((await browser.get('/openapi.json', { 'if-none-match': tag })).status).toBe(304);
  expect((await browser.get('/openapi.json', { 'if-none-match': '"other"' })).body).toEqual(document);
});

test('the document includes the endpoints for machines', () => {
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/.well-known/jwks.json',
      '/.well-known/change-password',
      '/builds/latest.json',
      '/builds/meta/{build}.json',
      '/{page}/_payload.json',
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
  expect(responses['429']).toMatchObject({ headers: { 'Retry-After': { schema: { type: 'integer' } } } });
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

const problemIn = (responses: Operation['responses'], status: number) =>
  responses[status]?.content?.['application/problem+json']?.schema.properties;
const codesIn = (responses: Operation['responses'], status: number) => problemIn(responses, status)?.code?.enum;

const fieldCodesIn = (responses: Operation['responses']) =>
  problemIn(responses, 422)?.fields?.items?.properties.code?.enum;

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

describe('each request is refused as the document says', () => {
  test.each(operations)('$method $path', async ({ path, method, operation }) => {
    const browser = (await server).client();
    await browser.get('/auth/csrf');
    const address = path.replace(/\{\w+\}/g, 'x');
    for (const [what, body, headers] of mistakes) {
      const response = await browser.send(method, address, { body: method === 'GET' ? undefined : body, headers });
      const documented = operation.responses[response.status];
      expect(documented, `${what}: ${response.status}`).toBeDefined();
      if (response.status >= 400)
        expect(codesIn(operation.responses, response.status), what).toContain(response.body.code);
      for (const { code } of response.body?.fields ?? [])
        expect(fieldCodesIn(operation.responses), what).toContain(code);
    }
  });
});
