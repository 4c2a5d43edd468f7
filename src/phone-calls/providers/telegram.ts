import * as z from 'zod/mini';
import { minutes } from '../../contract/durations.ts';
import { ask, json, understand } from '../ask.ts';
import { apiUrl, callProvider, headerKey } from '../kind.ts';
import { CallRefused, type RefusalReason } from '../provider.ts';

const answered = z.union([
  z.object({ ok: z.literal(true), result: z.object({ request_id: z.string() }) }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

/** Its reference names only the first; the others are seen. That somebody has no Telegram says nothing of the number. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  ACCESS_TOKEN_INVALID: 'credentials',
  ACCESS_TOKEN_REQUIRED: 'credentials',
  BALANCE_NOT_ENOUGH: 'balance',
  PHONE_NUMBER_INVALID: 'rejected',
  PHONE_NUMBER_NOT_FOUND: 'rejected',
  PHONE_NUMBER_NOT_AVAILABLE: 'rejected',
};

function refusalFor(error: string): CallRefused {
  const known = Object.hasOwn(reasons, error) ? reasons[error] : undefined;
  const reason = error.startsWith('FLOOD_WAIT') ? 'rate' : (known ?? 'unavailable');
  // Its word may repeat what we sent.
  return new CallRefused(reason, `Telegram’s error ${known ? error : `of another kind (${reason})`}`, { mayRing: 0 });
}

/** As long as the digits live, in seconds: what is not delivered by then is not charged. */
const lifetime = minutes(5) / 1000;

/**
 * Telegram Gateway: asks whether the number has Telegram, then sends our digits there; the first question pays for both
 * (https://core.telegram.org/gateway/api).
 */
export const telegram = callProvider({
  name: 'telegram',
  needed: { TELEGRAM_GATEWAY_TOKEN: headerKey },
  other: { TELEGRAM_GATEWAY_URL: z._default(apiUrl, 'https://gatewayapi.telegram.org') },
  open({ TELEGRAM_GATEWAY_TOKEN: token, TELEGRAM_GATEWAY_URL: base }) {
    const headers = { authorization: `Bearer ${token}` };
    const post = async (path: string, fields: object, signal: AbortSignal) => {
      const said = await ask({ method: 'POST', base, path, headers, body: json(fields), signal });
      const answer = understand(answered, said);
      if (!answer.ok) throw refusalFor(answer.error);
      return answer.result;
    };
    return {
      async telegram({ phone: phone_number, code }, signal) {
        const { request_id } = await post('/checkSendAbility', { phone_number }, signal);
        await post('/sendVerificationMessage', { phone_number, request_id, code, ttl: lifetime }, signal);
        return { kind: 'ours' };
      },
      async examine(signal) {
        // A question about a message that nobody sent costs nothing, and a wrong token is refused before it.
        const refused = await post('/checkVerificationStatus', { request_id: '0' }, signal).catch((error) => error);
        const isWell = !(refused instanceof CallRefused) || refused.reason === 'unavailable';
        if (!isWell) throw refused;
        return { warning: 'it answers; only a message shows what the account holds' };
      },
    };
  },
});
