import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { type CallWay, callWays } from '../../contract/call-ways.ts';
import { listOf } from '../../contract/settings.ts';
import { apiUrl, type CallProvider, CallRefused, defineCallProvider, type OrderedCall } from '../provider.ts';
import {
  json,
  type ProviderResponse,
  parseResponse,
  requestProvider,
  unexpectedResponse,
} from '../provider-request.ts';

/** Strict, because a 200 that contains an error is not a call. */
const called = z.strictObject({ code: z.optional(z.string().check(z.regex(/^\d{4}$/))) });

const nothing = z.strictObject({});
const awaited = z.strictObject({ number: z.string().check(z.regex(/^\+[1-9]\d{6,14}$/)) });
const standing = z.strictObject({ state: z.enum(['waiting', 'confirmed', 'expired']) });

/** The ways that the webhook supports, separated by commas. It always supports `ring`. */
const ways = listOf(z.enum(callWays, { error: `must be some of ${callWays.join(', ')}, separated by commas` }));

/**
 * Any other service that places calls, as described in `docs/calls.md`: a signed POST of `{ id, phone, code, locale, ip
 * }`. `{}` means that our code rings, `{ "code": "1234" }` that this one does; any other response is a failure.
 */
export const webhook = defineCallProvider({
  name: 'webhook',
  needed: {
    WEBHOOK_CALL_URL: apiUrl,
    WEBHOOK_CALL_SECRET: z.string().check(z.minLength(16, 'must have at least 16 characters')),
  },
  other: { WEBHOOK_CALL_WAYS: z._default(ways, ['ring']) },
  open({ WEBHOOK_CALL_URL: base, WEBHOOK_CALL_SECRET: secret, WEBHOOK_CALL_WAYS: offered }) {
    const post = async (fields: object, signal: AbortSignal): Promise<ProviderResponse> => {
      const body = json(fields);
      const headers = { 'x-signature': sign(secret, body.text) };
      const response = await requestProvider({ method: 'POST', base, headers, body, signal });
      if (response.status < 200 || response.status > 299) throw unexpectedResponse(response.status);
      return response;
    };
    const send = (way: CallWay) => async (call: OrderedCall, signal: AbortSignal) => {
      const { id, phone, code, locale, ip, introduction, message, sender } = call;
      parseResponse(nothing, await post({ id, way, phone, code, locale, ip, introduction, message, sender }, signal));
      return { kind: 'ours' } as const;
    };
    const all = {
      async place({ id, phone, code, locale, ip }, signal) {
        const { code: rings } = parseResponse(called, await post({ id, phone, code, locale, ip }, signal));
        return rings === undefined ? { kind: 'ours' } : { kind: 'theirs', code: rings };
      },
      speak: send('voice'),
      text: send('sms'),
      whatsapp: send('whatsapp'),
      telegram: send('telegram'),
      async await({ id, phone, locale, ip }, signal) {
        const { number } = parseResponse(awaited, await post({ id, way: 'reverse', phone, locale, ip }, signal));
        return { kind: 'awaited', number, reference: id };
      },
      async arrived({ reference: id }, signal) {
        return parseResponse(standing, await post({ id, way: 'reverse', arrived: '?' }, signal)).state;
      },
    } satisfies Partial<CallProvider>;
    return {
      place: all.place,
      ...(offered.includes('voice') && { speak: all.speak }),
      ...(offered.includes('sms') && { text: all.text, sendsOwnWords: true as const }),
      ...(offered.includes('whatsapp') && { whatsapp: all.whatsapp }),
      ...(offered.includes('telegram') && { telegram: all.telegram }),
      ...(offered.includes('reverse') && { await: all.await, arrived: all.arrived }),
      async readStatus(signal) {
        const { status } = await requestProvider({ method: 'HEAD', base, signal });
        if (status >= 500 || gone.includes(status))
          throw new CallRefused('unavailable', `the webhook responded with HTTP ${status}`);
        return { warning: 'it responds; only a call shows whether it accepts our signature' };
      },
    };
  },
});

/** The URL does not exist. A service that accepts only POST responds with 405 (RFC 9110). */
const gone = [404, 410];

/** The signature covers the time, so that someone who intercepts a request cannot replay it later. */
function sign(secret: string, body: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
