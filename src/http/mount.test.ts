import Fastify from 'fastify';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { openFairScheduler } from '../access/fair-scheduler.ts';
import { endpoint } from '../contract/endpoint.ts';
import { Failure } from '../contract/failures.ts';
import { csrfCookie } from '../contract/pages.ts';
import type { DevicePrincipal } from '../devices/computers/heartbeat.ts';
import type { Service } from '../server/service.ts';
import { openTestServer } from '../testing/test-server.ts';
import { readVisitors } from './incoming/visitor.ts';
import { type HandlerContext, mountOn } from './mount.ts';
import { handleFailures } from './problems.ts';
import type { Principal } from './session/authentication.ts';

const ask = endpoint({ route: 'GET /ask', summary: 'Ask', status: 204, failures: ['not_found'] });

test.each([
  ['not_found', undefined, 'not_found'],
  ['account_exists', undefined, 'server_error'],
  ['try_again_later', undefined, 'try_again_later'],
  ['not_found', [{ field: 'phone', code: 'phone_invalid' }], 'server_error'],
] as const)('a refusal with %s and fields %j reaches the client as %s', async (code, fields, heard) => {
  const app = Fastify();
  handleFailures(app);
  readVisitors(app);
  const config = { NODE_ENV: 'production', PASSWORD_MIN_LENGTH: 6 };
  const service = { config, scheduler: openFairScheduler() } as Service;
  mountOn(app, service)(ask, () => {
    throw new Failure(code, fields && { fields });
  });
  const response = await app.inject('/ask');
  expect(response.json()).toMatchObject({ code: heard });
  await app.close();
});

test('a handler receives exactly the principal that its endpoint requires', () => {
  const declared = { route: 'GET /ask', summary: 'Ask', status: 204 } as const;
  const open = endpoint(declared);
  const forUsers = endpoint({ ...declared, auth: 'bearer' });
  const forDevices = endpoint({ ...declared, auth: 'device' });
  const forEither = endpoint({ ...declared, auth: 'bearer' as 'bearer' | 'device' });

  expectTypeOf<HandlerContext<typeof open>>().not.toHaveProperty('signedIn');
  expectTypeOf<HandlerContext<typeof open>>().not.toHaveProperty('device');
  expectTypeOf<HandlerContext<typeof forUsers>>().not.toHaveProperty('device');
  expectTypeOf<HandlerContext<typeof forUsers>['signedIn']>().toEqualTypeOf<Principal>();
  expectTypeOf<HandlerContext<typeof forDevices>>().not.toHaveProperty('signedIn');
  expectTypeOf<HandlerContext<typeof forDevices>['device']>().toEqualTypeOf<DevicePrincipal>();
  expectTypeOf<HandlerContext<typeof forEither>>().not.toHaveProperty('signedIn');
});

test('an endpoint cannot declare an option that has no effect', () => {
  const declared = { route: 'GET /ask', summary: 'Ask', status: 204 } as const;
  // @ts-expect-error: only sessions can step up
  endpoint({ ...declared, auth: 'device', sensitive: true });
  // @ts-expect-error: a GET request has no body
  endpoint({ ...declared, body: z.object({}) });
  // @ts-expect-error: a GET request needs no CSRF token anyway
  endpoint({ ...declared, from: 'computer' });
  // @ts-expect-error: the path has no parameters
  endpoint({ ...declared, params: z.object({}) });
  // @ts-expect-error: a 204 has no body
  endpoint({ ...declared, response: z.object({}) });
  expectTypeOf(endpoint({ ...declared, auth: 'bearer', sensitive: true }).failures).toHaveProperty('step_up_required');
});

test('a handler of an open endpoint cannot read an account', () => {
  const mount = mountOn(Fastify(), { config: { NODE_ENV: 'production', PASSWORD_MIN_LENGTH: 6 } } as Service);
  // @ts-expect-error: the endpoint has no `auth`, so there is no `signedIn`
  mount(ask, ({ signedIn }) => void signedIn.accountId);
  const forUsers = endpoint({ route: 'GET /own', summary: 'Own', status: 204, auth: 'bearer' });
  mount(forUsers, ({ signedIn }) => {
    expectTypeOf(signedIn.accountId).toEqualTypeOf<string>();
  });
});

/** A scheduler in a turn of the event loop that never ends, whose queue has no room. */
function busyScheduler() {
  const scheduler = openFairScheduler({ perSource: 0, nextTurn: () => undefined });
  const { perTurn } = scheduler.state();
  for (let begun = 0; begun < perTurn; begun += 1) void scheduler.begin({ source: '192.0.2.1', networks: [] });
  return scheduler;
}

const server = await openTestServer('sqlite', {}, { scheduler: busyScheduler() });

test.each([
  ['a sign-in', 'POST', '/auth/login'],
  ['a registration', 'POST', '/auth/register'],
  ['an enrolment', 'POST', '/computers/enrol'],
  ['records', 'POST', '/computers/records'],
  ['a read of the account', 'GET', '/account'],
  ['a check of an unknown application', 'GET', '/forward-auth/unknown'],
  ['a return to an application', 'GET', '/.vestibule/callback?code=x&state=x'],
])('%s waits for its turn before any other work', async (_what, method, path) => {
  const browser = server.client();
  await browser.get('/auth/csrf');
  const headers = { 'x-csrf-token': browser.cookies.get(csrfCookie) ?? '' };
  expect(await browser.send(method, path, { headers, ...(method === 'POST' && { body: {} }) })).toSay(
    '503 try_again_later',
  );
});

test('a page, a refresh and a sign-out begin as they arrive', async () => {
  const browser = server.client();
  expect((await browser.get('/')).status).toBe(200);
  expect(await browser.post('/auth/refresh')).toSay('401 session_ended no_session');
  expect((await browser.post('/auth/logout')).status).toBe(204);
});
