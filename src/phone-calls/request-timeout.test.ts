import { expect, it } from 'vitest';
import { startCallServer } from '../testing/call-server.ts';
import { call, refusalOf } from '../testing/provider-tests.ts';
import { openCalls } from './calls.ts';
import { openCallProviders } from './providers.ts';

const secret = 'a-webhook-secret-of-ours';
const log = { info: () => undefined, warn: () => undefined };

// RFC 9110, section 15.5.9: the server did not receive a complete request in time; it may have acted on it.
it.each([
  ['a request timeout leaves open whether the phone rings', 408, 1],
  ['after any other client error the phone does not ring', 422, 0],
])('%s', async (_, status, mayRing) => {
  const server = await startCallServer(() => [status, {}]);
  const providers = openCallProviders(['webhook'], {
    WEBHOOK_CALL_URL: server.url,
    WEBHOOK_CALL_SECRET: secret,
    WEBHOOK_CALL_WAYS: ['ring'],
  });
  const calls = openCalls({ providers, log, now: Date.now });
  expect((await refusalOf(calls.reach('ring', call), [secret])).mayRing).toBe(mayRing);
});
