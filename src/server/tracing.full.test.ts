import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../testing/client.ts';
import { freshDatabase, usualEngines } from '../testing/databases/databases.ts';
import { form, password, sendSecrets } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';
import { openTestServer } from '../testing/test-server.ts';

const server = 2;
const client = 3;

/** The span of a request, once it has arrived, and its direct children. */
async function traceOf({ spans }: Collector, name: string, nth = 0) {
  const find = () => spans.filter((span) => span.name === name && span.kind === server)[nth];
  await expect.poll(find).toBeDefined();
  const root = find() as Span;
  const parts = () => spans.filter((span) => span.parentSpanId === root.spanId);
  return { root, parts, names: () => parts().map((part) => part.name) };
}

const traced = (collector: Collector, more: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  ...more,
});

describe.each(usualEngines)('traces, on %s', (engine) => {
  test('cover a sign-in with its statements, its wait for a turn and its hash as child spans', async () => {
    const collector = await openCollector();
    const testServer = await openTestServer(engine, traced(collector, { OTEL_SERVICE_NAME: 'front-door' }));
    const person = form();
    await testServer.client().post('/auth/register', person);
    expect((await testServer.client().post('/auth/login', { email: person.email, password })).status).toBe(200);
    const { root, parts, names } = await traceOf(collector, 'POST /auth/login');
    await expect.poll(names).toEqual(expect.arrayContaining(['wait for a turn', 'password verify']));
    expect(root.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/auth/login',
      'http.response.status_code': 200,
      'vestibule.reference': expect.stringMatching(/^[0-9A-F]{10}$/),
    });
    expect(root).toMatchObject({ failed: false });
    expect(root.parentSpanId).toBeUndefined();
    expect(collector.services).toContain('front-door');

    const turns = parts().filter(({ name }) => name === 'wait for a turn');
    expect(turns.map(({ attributes }) => attributes['vestibule.gate'])).toEqual(['lookups', 'hashes']);
    const statements = collector.spans.filter(
      ({ traceId, attributes }) => traceId === root.traceId && attributes['db.query.text'] !== undefined,
    );
    expect(statements.length).toBeGreaterThan(1);
    const system = engine === 'sqlite' ? 'sqlite' : 'postgresql';
    for (const { kind, attributes } of statements) {
      expect(kind).toBe(client);
      expect(attributes).toMatchObject({
        'db.system.name': system,
        'db.operation.name': expect.stringMatching(/^[A-Z]+$/),
      });
    }
    const ids = new Set(collector.spans.map(({ spanId }) => spanId));
    const within = collector.spans.filter(({ traceId }) => traceId === root.traceId);
    for (const part of within.filter((span) => span !== root)) {
      expect(ids).toContain(part.parentSpanId);
    }
  });

  test('cover a registration with its transaction', async () => {
    const collector = await openCollector();
    const testServer = await openTestServer(engine, traced(collector));
    await testServer.client().post('/auth/register', form());
    const registration = await traceOf(collector, 'POST /auth/register');
    const [transaction] = registration.parts().filter(({ name }) => name === 'TRANSACTION');
    const inside = () => collector.spans.filter(({ parentSpanId }) => parentSpanId === transaction?.spanId);
    expect(inside().map(({ name }) => name)).toEqual(expect.arrayContaining(['INSERT']));
    expect(registration.names()).toContain('password hash');
  });

  test('contain no secret and no personal data', async () => {
    const collector = await openCollector();
    const testServer = await openTestServer(
      engine,
      traced(collector, { PHONE_CONFIRMATION: 'optional', PASSWORD_PEPPER: 'pepper of the service' }),
    );
    const browser = testServer.client({ ip: '203.0.113.7' });
    const person = form();
    const email = String(person.email);
    const secrets = [
      password,
      email,
      encodeURIComponent(email),
      'Anna Berg',
      '1512',
      '3456789',
      'pepper of the service',
    ];
    await browser.post('/auth/register', person);
    secrets.push(String(browser.token), '203.0.113.7');
    await browser.post('/auth/refresh');
    secrets.push(String(browser.token), ...browser.cookies.values());
    await browser.post('/auth/phone/call', { phone: person.phone, locale: 'en' });
    secrets.push(...(await testServer.calls()).flatMap(({ from }) => [from, from.slice(-4)]));
    secrets.push(...(await sendSecrets(browser, { email, person })), 'of-anna');
    await browser.get('/no/such/page/of-anna');
    await testServer.mailTo(email, /./, 3);
    await testServer.close();
    expect(collector.spans.length).toBeGreaterThan(50);
    const sent = collector.raw.join('\n');
    // Four digits also occur within the ids and times of many spans.
    const holds = (secret: string) =>
      new RegExp(`(?<![0-9a-f])${secret.replaceAll(/\W/g, '\\$&')}(?![0-9a-f])`, 'i').test(sent);
    expect(holds('/auth/recovery')).toBe(true);
    expect(secrets.filter((secret) => secret.length > 3 && holds(secret))).toEqual([]);
  });

  test('continue the trace of a trusted proxy, and never that of a stranger', async () => {
    const collector = await openCollector();
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const traceparent = `00-${traceId}-${spanId}-01`;
    const behindProxy = await openTestServer(engine, traced(collector));
    await behindProxy.client().get('/auth/csrf', { traceparent });
    const { root } = await traceOf(collector, 'GET /auth/csrf');
    expect(root).toMatchObject({ traceId, parentSpanId: spanId });

    const open = await openTestServer(engine, traced(collector, { TRUSTED_PROXIES: '192.0.2.1' }));
    await open.client().get('/auth/csrf', { traceparent });
    const { root: own } = await traceOf(collector, 'GET /auth/csrf', 1);
    expect(own.parentSpanId).toBeUndefined();
    expect(own.traceId).not.toBe(traceId);
  });
});

test('show why a request was refused, and mark only server errors as failed', async () => {
  const collector = await openCollector();
  const testServer = await openTestServer('sqlite', traced(collector));
  await testServer.client().post('/auth/login', { email: 'nobody@example.com', password: 'no such thing' });
  const { root } = await traceOf(collector, 'POST /auth/login');
  expect(root.attributes).toMatchObject({
    'http.response.status_code': 401,
    'vestibule.code': 'incorrect_login_or_password',
  });
  expect(root.failed).toBe(false);
  const browser = testServer.client();
  await browser.get('/auth/csrf');
  await testServer.store.destroy();
  await browser.post('/auth/login', { email: 'nobody@example.com', password: 'no such thing' });
  const { root: failing } = await traceOf(collector, 'POST /auth/login', 1);
  expect(failing.failed).toBe(true);
  expect(failing.attributes['error.type']).toBeDefined();
});

test('are sampled as configured, and carry the headers for the collector', async () => {
  const collector = await openCollector();
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret,x-tenant=door' };
  const some = traced(collector, {
    ...headers,
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  const testServer = await openTestServer('sqlite', some);
  const requests = 200;
  for (let asked = 0; asked < requests; asked += 1) await testServer.client().get('/auth/csrf');
  await testServer.close();
  const traces = new Set(collector.spans.map(({ traceId }) => traceId)).size;
  expect(traces).toBeGreaterThan(requests / 4);
  expect(traces).toBeLessThan((requests * 3) / 4);
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer secret', 'x-tenant': 'door' });
});

/** From the sources, and as the bundle. */
describe.each(['from sources', 'built'] as const)('a tracing process, %s', (made) => {
  const start = async (settings: Record<string, string>) =>
    startProcess(await freshDatabase('sqlite'), settings, { built: made === 'built' });

  test('adds the trace id to the log lines of a request, and flushes spans when it stops', async () => {
    const collector = await openCollector();
    const service = await start(traced(collector));
    const person = form();
    const browser = openClient(service.url);
    expect(await browser.post('/auth/register', person)).toSay('201');
    await browser.post('/auth/refresh');
    await service.stop();
    const roots = collector.spans.filter(({ kind }) => kind === server);
    const find = (route: string) => service.log().find((line) => line.route === route);
    for (const route of ['/auth/register', '/auth/refresh']) {
      const root = roots.find(({ attributes }) => attributes['http.route'] === route);
      expect(find(route)).toMatchObject({ trace_id: root?.traceId, reqId: root?.attributes['vestibule.reference'] });
      expect(root?.traceId).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  test.each([
    ['does not load OpenTelemetry without the setting', {}, false],
    ['loads OpenTelemetry with the setting', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ] as const)('%s', async (_name, settings, loads) => {
    const tell = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith('@opentelemetry/')) process.stderr.write('loads ' + name + String.fromCharCode(10));
        return next(name, context);
      } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
    const service = await start({ ...settings, NODE_OPTIONS });
    await openClient(service.url).get('/auth/csrf');
    await service.stop();
    // The metrics library also imports `api`, which contains only types and names.
    expect(/loads @opentelemetry\/(?!api)/.test(service.output())).toBe(loads);
  });
});

describe('a process with a failing collector', () => {
  const start = async (settings: Record<string, string>) => startProcess(await freshDatabase('sqlite'), settings);

  test.each([
    ['is down', undefined],
    ['never responds', 'silent'],
    ['refuses', 403],
  ] as const)('serves requests, logs the outage and stops in time if the collector %s', async (_name, how) => {
    const collector = await openCollector();
    if (how === undefined) await collector.close();
    else collector.status = how === 'silent' ? undefined : how;
    const service = await start(traced(collector));
    const browser = openClient(service.url);
    expect(await browser.post('/auth/register', form())).toSay('201');
    const warnings = () => service.log().filter(({ msg }) => /trace collector/.test(String(msg)));
    await expect.poll(() => warnings()[0]).toMatchObject({ level: 40 });
    // Many more than the buffer for the collector holds.
    for (let asked = 0; asked < 40; asked += 1)
      await Promise.all(Array.from({ length: 75 }, () => browser.get('/auth/csrf')));
    expect(await browser.post('/auth/refresh')).toSay('200');
    await service.stop();
    expect(service.output()).not.toMatch(/shutdown timed out|opentelemetry/i);
  });
});

/** A received span, with the fields that tests check. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
}

interface Collector {
  readonly url: string;
  /** All received spans, in order of arrival. */
  readonly spans: readonly Span[];
  /** The request bodies as received. */
  readonly raw: readonly string[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** Names of the services that sent spans. */
  readonly services: readonly string[];
  /** Status of all further responses; `undefined` means no response. */
  status: number | undefined;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

const read = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));

/** An OpenTelemetry collector that accepts traces by OTLP over HTTP in JSON, until the test ends. */
async function openCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const [raw, services]: [string[], string[]] = [[], []];
  const headers: Collector['headers'][number][] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    headers.push(request.headers);
    const { status } = collector;
    if (status === undefined) return;
    if (status === 200 && request.url === '/v1/traces') take(body);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });

  function take(body: string): void {
    raw.push(body);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      services.push(String(read(resource.attributes)['service.name']));
      for (const { spans: received } of scopeSpans)
        for (const span of received)
          spans.push({ ...span, attributes: read(span.attributes), failed: span.status.code === 2 });
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw,
    headers,
    services,
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(collector.close);
  return collector;
}
