import { expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../../testing/call-server.ts';
import { statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { callResendPause } from './call-rate-limits.ts';

const breaksOff: Reply = (response) => response.destroy();

it.each(usualEngines)(
  'a phone that two providers may have rung twice does not get a further call, on %s',
  async (engine) => {
    const [ucaller, smsru] = [await startCallServer(() => breaksOff), await startCallServer(() => breaksOff)];
    const server = await openTestServer(engine, {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'ucaller,smsru',
      UCALLER_URL: ucaller.url,
      UCALLER_SERVICE_ID: '1',
      UCALLER_SECRET: 'secret',
      SMSRU_URL: smsru.url,
      SMSRU_API_ID: 'id',
    });
    const ask = () => server.client().post('/auth/phone/call', { phone: '+4915113001000', locale: 'de' });
    expect(statusAndCode(await ask())).toBe('503 call_failed');
    server.forward(callResendPause + 1);
    expect(statusAndCode(await ask())).toBe('503 call_failed');
    server.forward(callResendPause + 1);
    expect(statusAndCode(await ask())).toBe('429 too_many_calls');
    expect([ucaller.received.length, smsru.received.length]).toEqual([2, 2]);
  },
);
