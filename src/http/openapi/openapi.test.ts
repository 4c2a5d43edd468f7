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

test('a public linter has nothing to say of it', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The service belongs to whoever runs it, and is licensed to nobody else.
      'info-license': 'off',
      // Some questions cannot be asked wrongly, such as whether the process is alive.
      'operation-4xx-response': 'off',
      // No page is called `computers`, and no computer `_payload.json`.
      'no-ambiguous-paths': 'off',
      // A well-known address only leads elsewhere.
      'operation-2xx-response': 'off',
    },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`)).toEqual([]);
});

test('whoever has it gets it once more only when it is another one', async () => {
  const browser = (await server).client();
  const tag = (await browser.get('/openapi.json')).headers.get('etag') ?? '';
  expect((await browser.get('/openapi.json', { 'if-none-match': tag })).status).toBe(304);
  expect((await browser.get('/openapi.json', { 'if-none-match': '"other"' })).body).toEqual(document);
});

test('it tells of what machines ask as well', () => {
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

test('it tells of the minutes to wait wherever something is too much', () => {
  const limited = operations.filter(({ operation }) => operation.responses['429']);
  expect(limited.map(({ path }) => path)).toContain('/account/email');
  for (const { path, operation } of limited)
    expect([path, problemIn(operation.responses, 429)]).toEqual([
      path,
      expect.objectContaining({ minutes: expect.anything() }),
    ]);
});

test('it tells what a sign-in takes, and all that can be wrong with it', () => {
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

/** What goes wrong with requests of every shape, before anybody looks at what they mean. */
const mistakes: [what: string, body: string | undefined, headers: Record<string, string>][] = [
  ['nothing at all', undefined, {}],
  ['no CSRF token', '{}', { 'x-csrf-token': '' }],
  ['an empty form', '{}', {}],
  ['fields of no use', '{"email":7,"locale":"xx","phone":[],"place":{},"way":0}', {}],
  ['no JSON', '{"email"', {}],
  ['a list', '[]', {}],
  ['words', 'hello', { 'content-type': 'text/plain' }],
  ['20 kB', JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(20_000) }), {}],
];

describe('each request is refused as the document says', () => {
  test.each(operations)('$method $path', async ({ path, method, operation }) => {
    const browser = (await server).client();
    await browser.get('/auth/csrf');
    const address = path.replace(/\{\w+\}/g, 'x');
    for (const [what, body, headers] of mistakes) {
      const answer = await browser.send(method, address, { body: method === 'GET' ? undefined : body, headers });
      const told = operation.responses[answer.status];
      expect(told, `${what}: ${answer.status}`).toBeDefined();
      if (answer.status >= 400) expect(codesIn(operation.responses, answer.status), what).toContain(answer.body.code);
      for (const { code } of answer.body?.fields ?? []) expect(fieldCodesIn(operation.responses), what).toContain(code);
    }
  });
});
