import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { endpoint } from '../contract/endpoint.ts';
import { Failure } from '../contract/failures.ts';
import type { Service } from '../server/foundation.ts';
import { mountOn } from './mount.ts';
import { handleFailures } from './problems.ts';

const ask = endpoint({ method: 'GET', path: '/ask', summary: 'Ask', status: 204, failures: ['not_found'] });

test.each([
  ['not_found', undefined, 'not_found'],
  ['account_exists', undefined, 'server_error'],
  ['try_again_later', undefined, 'try_again_later'],
  ['not_found', [{ field: 'phone', code: 'phone_invalid' }], 'server_error'],
] as const)('a handler that refuses with %s and fields %j is heard as %s', async (code, fields, heard) => {
  const app = Fastify();
  handleFailures(app);
  const service = { config: { NODE_ENV: 'production', PASSWORD_MIN_LENGTH: 6 } } as Service;
  mountOn(app, service)(ask, () => {
    throw new Failure(code, fields && { fields });
  });
  const answer = await app.inject('/ask');
  expect(answer.json()).toMatchObject({ code: heard });
  await app.close();
});
