import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { ask, json, understand, undocumented } from '../ask.ts';
import { apiUrl, callProvider } from '../kind.ts';
import { CallRefused } from '../provider.ts';

/** Nothing else: a 200 with an error in it is no call. */
const called = z.strictObject({ code: z.optional(z.string().check(z.regex(/^\d{4}$/))) });

/**
 * Anything else that can call, as `docs/calls.md` describes it: a POST of `{ id, phone, code, locale, ip }`, signed. `{}` means that our
 * code rings, `{ "code": "1234" }` that another one does; everything else has failed.
 */
export const webhook = callProvider({
  name: 'webhook',
  needed: {
    WEBHOOK_CALL_URL: apiUrl,
    WEBHOOK_CALL_SECRET: z.string().check(z.minLength(16, 'must have at least 16 characters')),
  },
  other: {},
  open: ({ WEBHOOK_CALL_URL: base, WEBHOOK_CALL_SECRET: secret }) => ({
    async place({ id, phone, code, locale, ip }, signal) {
      const body = json({ id, phone, code, locale, ip });
      const headers = { 'x-signature': sign(secret, body.text) };
      const answer = await ask({ method: 'POST', base, headers, body, signal });
      if (answer.status < 200 || answer.status > 299) {
        throw undocumented(answer.status);
      }
      const { code: rings } = understand(called, answer);
      return rings === undefined ? { kind: 'ours' } : { kind: 'theirs', code: rings };
    },
    async examine(signal) {
      const { status } = await ask({ method: 'HEAD', base, signal });
      if (status >= 500 || gone.includes(status))
        throw new CallRefused('unavailable', `the webhook answered HTTP ${status}`);
      return { warning: 'it answers; only a call shows whether it accepts our signature' };
    },
  }),
});

/** An address where there is nothing. A service that takes only POST says 405, by RFC 9110. */
const gone = [404, 410];

/** The time is signed too, so that whoever overhears a request cannot place it again later. */
function sign(secret: string, body: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
